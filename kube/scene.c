#include "kube/scene.h"

#define TELL_MS        100 /* Sandbox, Pod and events change together */
#define QUEUE_MS       5000
#define QUEUE_EVERY_MS 2000 /* twice as long each time */
#define QUEUE_MOST_MS  30000
#define LIMIT_EVENTS   100

/* All who wait together are sent so many claims, by all their lists: with n of them,
 * one may list every n * n / CLAIMS_PER_MS. */
#define CLAIMS_PER_MS 5
#define COUNT_MOST    100000 /* more are so many */

static const struct {
    const char *kind, *resource;
} kinds[SCENE_PARTS] = {
    [SCENE_SANDBOX] = {"Sandbox", SANDBOX_RESOURCE},
    [SCENE_POD] = {"Pod",     "pods"          },
    [SCENE_EVENTS] = {"Event",   "events"        },
};

static void follow_pod(struct scene *scene);

static void
on_telling(void *context)
{
    struct scene *scene = context;

    scene->on_change(scene->context);
}

static void
tell_soon(struct scene *scene)
{
    if (!timer_is_set(&scene->telling))
        timer_set(&scene->telling, scene->loop, TELL_MS, on_telling, scene);
}

/* --- watches --- */

/* Newest last, as a list has them. */
static void
add_event(struct scene_watch *watch, const json_t *event)
{
    json_t *items;

    if (!event)
        return;
    if (!watch->found)
        watch->found = json_pack("{s:[]}", "items");
    items = json_object_get(watch->found, "items");
    if (json_array_size(items) == LIMIT_EVENTS)
        json_array_remove(items, 0);
    json_array_append(items, (json_t *)event);
}

static void
on_object(void *context, const json_t *object)
{
    struct scene_watch *watch = context;

    if (watch->part == SCENE_EVENTS) {
        add_event(watch, object);
    } else {
        json_decref(watch->found);
        watch->found = json_incref((json_t *)object);
    }
    tell_soon(watch->scene);
    if (watch->part == SCENE_SANDBOX)
        follow_pod(watch->scene);
}

static void
on_problem(void *context, const struct kube_answer *answer)
{
    struct scene_watch *watch = context;

    if (answer->status != 401 && answer->status != 403)
        return;
    watch->is_forbidden = true;
    kube_watch_free(TAKE(watch->watch));
    if (watch->part == SCENE_SANDBOX)
        follow_pod(watch->scene);
}

static char *
path_of(const struct scene *scene, enum scene_part part)
{
    const char *namespace = scene->wish->namespace;

    switch (part) {
    case SCENE_SANDBOX:
        return xasprintf(SANDBOX_PATH, namespace);
    case SCENE_POD:
        return xasprintf("/api/v1/namespaces/%s/pods", namespace);
    case SCENE_EVENTS:
    case SCENE_PARTS:
        break;
    }
    return xasprintf("/api/v1/namespaces/%s/events", namespace);
}

static void
stop_watch(struct scene_watch *watch)
{
    kube_watch_free(TAKE(watch->watch));
    json_decref(TAKE(watch->found));
}

/* name: of the object, or of what the events are about; "": nothing */
static void
watch_part(struct scene *scene, enum scene_part part, const char *name)
{
    struct scene_watch *watch = &scene->watches[part];

    if (watch->is_forbidden || (watch->watch && strcmp(watch->name, name) == 0))
        return;
    stop_watch(watch);
    snprintf(watch->name, sizeof(watch->name), "%s", name);
    if (!*name)
        return;
    AUTO(mem) char *path = path_of(scene, part);
    watch->watch =
        kube_watch_new(scene->loop, scene->api,
                       &(struct kube_watch_spec){
                           .path = path,
                           .subject = {"watch", kinds[part].kind, kinds[part].resource,
                                       scene->wish->namespace, watch->name},
                           .field = part == SCENE_EVENTS ? "involvedObject.name" : NULL,
                           .on_object = on_object,
                           .on_problem = on_problem,
                           .context = watch,
    },
                       NULL);
}

static void
follow_pod(struct scene *scene)
{
    const struct scene_watch *sandbox = &scene->watches[SCENE_SANDBOX];
    const char *pod = claim_object_pod(sandbox->found, sandbox->name);

    watch_part(scene, SCENE_POD, pod);
    watch_part(scene, SCENE_EVENTS, *pod ? pod : scene->wish->name);
}

/* --- the queue --- */

static void ask_queue(struct scene *scene);

static bool
is_list_due(const struct scene *scene)
{
    return scene->queue.due_ms && zclock_mono() >= scene->queue.due_ms;
}

/* A count is a list of one claim, which says how many more there are. False: the list
 * itself is due. */
static bool
take_queue(struct scene *scene, json_t *list)
{
    const json_t *metadata = json_object_get(list, "metadata");
    const char *more = json_string_value(json_object_get(metadata, "continue"));
    json_int_t left =
        json_integer_value(json_object_get(metadata, "remainingItemCount"));
    int64_t count = (int64_t)json_array_size(json_object_get(list, "items"));
    bool is_count = !scene->queue.due_ms, is_whole = !more || !*more;

    count += left > 0 && left < COUNT_MOST ? left : is_whole ? 0 : COUNT_MOST;
    scene->queue.due_ms = (is_whole ? zclock_mono() : scene->queue.began_ms) +
                          count * count / CLAIMS_PER_MS;
    if (is_count && !is_whole) {
        json_decref(list);
        return !is_list_due(scene);
    }
    json_decref(scene->queue.found);
    scene->queue.found = list;
    return true;
}

static void
on_listed(void *context, const struct kube_answer *answer)
{
    struct scene *scene = context;
    json_t *list = answer->status == 200
                       ? json_loadb(answer->body.data, answer->body.len, 0, NULL)
                       : NULL;

    scene->queue.call = NULL;
    scene->queue.is_forbidden = answer->status == 401 || answer->status == 403;
    if (list && !take_queue(scene, list))
        ask_queue(scene);
    tell_soon(scene);
}

/* The list as the server has it in memory: many may ask. */
static void
ask_queue(struct scene *scene)
{
    AUTO(mem) char *path =
        xasprintf("/apis/" CLAIM_VERSION "/namespaces/%s/sandboxclaims?%s",
                  scene->wish->namespace,
                  is_list_due(scene) ? "limit=500&resourceVersion=0" : "limit=1");

    scene->queue.call = kube_api_start(
        scene->api, &(struct kube_request){
                        .method = "GET",
                        .path = path,
                        .subject = {"list", "SandboxClaim", CLAIM_RESOURCE,
                                    scene->wish->namespace, scene->wish->name},
                        .timeout_ms = QUEUE_MS,
                        .on_done = on_listed,
                        .context = scene,
    });
}

static void
look_at_queue(void *context)
{
    struct scene *scene = context;

    if (scene->queue.is_forbidden)
        return;
    timer_set(&scene->queue.next, scene->loop, scene->queue.wait_ms, look_at_queue,
              scene);
    scene->queue.wait_ms *= 2;
    if (scene->queue.wait_ms > QUEUE_MOST_MS)
        scene->queue.wait_ms = QUEUE_MOST_MS;
    if (!scene->queue.call && (!scene->queue.due_ms || is_list_due(scene)))
        ask_queue(scene);
}

/* --- life --- */

void
scene_init(struct scene *scene, zloop_t *loop, struct kube_api *api,
           const struct claim_wish *wish, void (*on_change)(void *context),
           void *context)
{
    *scene = (struct scene){
        .loop = loop,
        .api = api,
        .wish = wish,
        .on_change = on_change,
        .context = context,
        .queue = {.wait_ms = QUEUE_EVERY_MS, .began_ms = zclock_mono()}
    };
    for (size_t i = 0; i < SCENE_PARTS; i++) {
        scene->watches[i].scene = scene;
        scene->watches[i].part = (enum scene_part)i;
    }
}

void
scene_follow(struct scene *scene, const char *sandbox)
{
    watch_part(scene, SCENE_SANDBOX, sandbox ? sandbox : "");
    follow_pod(scene);
    if (!timer_is_set(&scene->queue.next))
        look_at_queue(scene);
    tell_soon(scene);
}

void
scene_stop(struct scene *scene)
{
    timer_cancel(&scene->telling);
    timer_cancel(&scene->queue.next);
    if (scene->queue.call)
        kube_api_cancel(TAKE(scene->queue.call));
    json_decref(TAKE(scene->queue.found));
    for (size_t i = 0; i < SCENE_PARTS; i++)
        stop_watch(&scene->watches[i]);
}
