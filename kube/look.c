#include "kube/look.h"

#define LOOK_MS 5000

/* All who wait together are sent so many claims, by all their lists: with n of them,
 * one may list every n * n / CLAIMS_PER_MS. */
#define CLAIMS_PER_MS 5
#define COUNT_MOST    100000 /* more are so many */

static void next_step(struct look *look);

static const struct {
    const char *kind, *resource;
} steps[LOOK_STEPS] = {
    [LOOK_SANDBOX] = {"Sandbox",      "sandboxes.agents.x-k8s.io"},
    [LOOK_POD] = {"Pod",          "pods"                     },
    [LOOK_EVENTS] = {"Event",        "events"                   },
    [LOOK_QUEUE] = {"SandboxClaim", CLAIM_RESOURCE             },
};

void
look_init(struct look *look, struct kube_api *api, const struct claim_wish *wish,
          void (*done)(void *context), void *context)
{
    *look = (struct look){.api = api,
                          .wish = wish,
                          .done = done,
                          .context = context,
                          .began_ms = zclock_mono()};
}

static void
keep(struct look *look, enum look_step step, json_t *object)
{
    json_decref(look->found[step]);
    look->found[step] = object;
}

void
look_release(struct look *look)
{
    if (look->call)
        kube_api_cancel(TAKE(look->call));
    for (size_t i = 0; i < LOOK_STEPS; i++)
        keep(look, (enum look_step)i, NULL);
}

/* A pod has its sandbox's name but where an annotation names another. */
static void
name_pod(struct look *look)
{
    const json_t *metadata = json_object_get(look->found[LOOK_SANDBOX], "metadata");
    const char *named = json_string_value(json_object_get(
        json_object_get(metadata, "annotations"), "agents.x-k8s.io/pod-name"));

    snprintf(look->pod, sizeof(look->pod), "%s",
             named && claim_object_is_name(named) ? named : look->sandbox);
}

/* --- the queue --- */

static bool
is_list_due(const struct look *look)
{
    return look->list_due_ms && zclock_mono() >= look->list_due_ms;
}

/* A count is a list of one claim, which says how many more there are. False: the list
 * itself is due. */
static bool
take_queue(struct look *look, json_t *list)
{
    const json_t *metadata = json_object_get(list, "metadata");
    const char *more = json_string_value(json_object_get(metadata, "continue"));
    json_int_t left =
        json_integer_value(json_object_get(metadata, "remainingItemCount"));
    int64_t count = (int64_t)json_array_size(json_object_get(list, "items"));
    bool is_count = !look->list_due_ms, is_whole = !more || !*more;

    count += left > 0 && left < COUNT_MOST ? left : is_whole ? 0 : COUNT_MOST;
    look->list_due_ms =
        (is_whole ? zclock_mono() : look->began_ms) + count * count / CLAIMS_PER_MS;
    if (is_count && !is_whole) {
        json_decref(list);
        return !is_list_due(look);
    }
    keep(look, LOOK_QUEUE, list);
    return true;
}

/* --- the steps --- */

static void
on_done(void *context, const struct kube_answer *answer)
{
    struct look *look = context;
    enum look_step step = look->step;
    json_t *object = NULL;

    look->call = NULL;
    look->is_forbidden[step] = answer->status == 401 || answer->status == 403;
    if (answer->status == 200)
        object = json_loadb(answer->body.data, answer->body.len, 0, NULL);
    if (step != LOOK_QUEUE)
        keep(look, step, object);
    if (step == LOOK_SANDBOX)
        name_pod(look);
    if (step != LOOK_QUEUE || !object || take_queue(look, object))
        look->step++;
    next_step(look);
}

static char *
path_of(const struct look *look)
{
    const char *namespace = look->wish->namespace;

    switch (look->step) {
    case LOOK_SANDBOX:
        return xasprintf("/apis/agents.x-k8s.io/v1beta1/namespaces/%s/sandboxes/%s",
                         namespace, look->sandbox);
    case LOOK_POD:
        return xasprintf("/api/v1/namespaces/%s/pods/%s", namespace, look->pod);
    case LOOK_QUEUE: /* the list as the server has it in memory: many may ask */
        return xasprintf("/apis/" CLAIM_VERSION "/namespaces/%s/sandboxclaims?%s",
                         namespace,
                         is_list_due(look) ? "limit=500&resourceVersion=0" : "limit=1");
    case LOOK_EVENTS:
    case LOOK_STEPS:
        break;
    }
    return xasprintf("/api/v1/namespaces/%s/events?limit=100&fieldSelector="
                     "involvedObject.name%%3D%s",
                     namespace, *look->pod ? look->pod : look->wish->name);
}

static bool
is_to_be_taken(const struct look *look)
{
    bool needs_sandbox = look->step == LOOK_SANDBOX || look->step == LOOK_POD;

    if (look->step == LOOK_QUEUE && look->list_due_ms && !is_list_due(look))
        return false;
    return !look->is_forbidden[look->step] && (!needs_sandbox || *look->sandbox);
}

static void
next_step(struct look *look)
{
    while (look->step < LOOK_STEPS && !is_to_be_taken(look)) {
        if (look->step == LOOK_SANDBOX)
            name_pod(look);
        look->step++;
    }
    if (look->step == LOOK_STEPS) {
        look->done(look->context);
        return;
    }
    AUTO(mem) char *path = path_of(look);
    look->call =
        kube_api_start(look->api, &(struct kube_request){
                                      .method = "GET",
                                      .path = path,
                                      .subject = {"get", steps[look->step].kind,
                                                  steps[look->step].resource,
                                                  look->wish->namespace, look->sandbox},
                                      .timeout_ms = LOOK_MS,
                                      .on_done = on_done,
                                      .context = look,
    });
}

void
look_start(struct look *look, const char *sandbox)
{
    if (look->call)
        return;
    for (size_t i = 0; i < LOOK_QUEUE; i++)
        keep(look, (enum look_step)i, NULL);
    snprintf(look->sandbox, sizeof(look->sandbox), "%s", sandbox ? sandbox : "");
    look->step = LOOK_SANDBOX;
    next_step(look);
}
