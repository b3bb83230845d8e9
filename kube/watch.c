#include "kube/watch.h"

#include "common/retry.h"
#include "common/timer.h"

#define LOG_COMPONENT "watch"
#include "common/log.h"

#define WATCH_SECONDS 290 /* the server is asked to end it then */
#define LIST_MS       15000
#define PATIENCE_MS   60000 /* of one list or watch, where the server is busy */
#define VERSION_LEN   32

struct kube_watch {
    zloop_t *loop;
    struct kube_api *api;
    struct kube_watch_spec spec;
    char *path;
    char version[VERSION_LEN]; /* "": list first */
    struct kube_call *call;
    unsigned pauses; /* without an event in between */
    struct timer timer;
    bool *freed; /* set where a handler freed the watch */
};

static void begin(void *context);

/* --- one line --- */

static const struct {
    const char *name;
    enum watch_event_type type;
} event_types[] = {
    {"ADDED",    WATCH_CHANGED },
    {"MODIFIED", WATCH_CHANGED },
    {"DELETED",  WATCH_DELETED },
    {"BOOKMARK", WATCH_BOOKMARK},
    {"ERROR",    WATCH_ERROR   },
};

static bool
is_version(const char *text)
{
    size_t digits = text ? strspn(text, "0123456789") : 0;

    return digits > 0 && !text[digits] && digits < VERSION_LEN;
}

static const char *
version_of(const json_t *object)
{
    const json_t *metadata = json_object_get(object, "metadata");
    const char *version =
        json_string_value(json_object_get(metadata, "resourceVersion"));

    return is_version(version) ? version : NULL;
}

static int
read_type(const char *name, struct watch_event *event, struct error *err)
{
    for (size_t i = 0; name && i < COUNT_OF(event_types); i++)
        if (strcmp(name, event_types[i].name) == 0) {
            event->type = event_types[i].type;
            return 0;
        }
    return error_set(err, ERR_BAD_INPUT, "a watch sent an event of an unknown type");
}

int
watch_event_parse(struct slice line, struct watch_event *out, struct error *err)
{
    AUTO(watch_event) struct watch_event event = {0};

    event.root = json_loadb(line.data, line.len, JSON_REJECT_DUPLICATES, NULL);
    event.object = json_object_get(event.root, "object");
    if (!json_is_object(event.object))
        return error_set(err, ERR_BAD_INPUT,
                         "a watch sent something that is not an event");
    if (read_type(json_string_value(json_object_get(event.root, "type")), &event, err) <
        0)
        return -1;
    event.version = version_of(event.object);
    if (event.type == WATCH_ERROR &&
        json_integer_value(json_object_get(event.object, "code")) == 410)
        event.type = WATCH_GONE;
    *out = event;
    event.root = NULL;
    return 0;
}

/* --- life --- */

static void
pause_then_begin(struct kube_watch *watch)
{
    const struct retry_state state = {.retries = watch->pauses++,
                                      .left_ms = RETRY_NO_DEADLINE,
                                      .asked_ms = RETRY_NOT_ASKED};

    if (watch->call)
        kube_api_cancel(TAKE(watch->call));
    if (!timer_is_set(&watch->timer))
        timer_set(&watch->timer, watch->loop, retry_wait_ms(RETRY_KUBE_WATCH, &state),
                  begin, watch);
}

static void
keep_version(struct kube_watch *watch, const char *version)
{
    snprintf(watch->version, sizeof(watch->version), "%s", version ? version : "");
}

/* True if the watch is still there afterwards. */
static bool
tell(struct kube_watch *watch, const json_t *object)
{
    bool freed = false;

    watch->freed = &freed;
    watch->spec.on_object(watch->spec.context, object);
    if (!freed)
        watch->freed = NULL;
    return !freed;
}

static bool
tell_all(struct kube_watch *watch, const json_t *items)
{
    const json_t *item;
    size_t at;

    if (json_array_size(items) == 0)
        return tell(watch, NULL);
    json_array_foreach (items, at, item)
        if (!tell(watch, item))
            return false;
    return true;
}

static bool
tell_problem(struct kube_watch *watch, const struct kube_answer *answer)
{
    bool freed = false;

    watch->freed = &freed;
    watch->spec.on_problem(watch->spec.context, answer);
    if (!freed)
        watch->freed = NULL;
    return !freed;
}

/* --- watching --- */

/* True if the stream goes on. */
static bool
take_event(struct kube_watch *watch, struct slice line)
{
    AUTO(watch_event) struct watch_event event = {0};
    struct error err;

    if (watch_event_parse(line, &event, &err) < 0) {
        log_error("%s", err.text);
        pause_then_begin(watch);
        return false;
    }
    watch->pauses = 0;
    if (event.type == WATCH_GONE || event.type == WATCH_ERROR) {
        log_info("the watch of %s was refused: starting a new one",
                 watch->spec.subject.name);
        keep_version(watch, NULL);
        pause_then_begin(watch);
        return false;
    }
    if (event.version)
        keep_version(watch, event.version);
    if (event.type == WATCH_BOOKMARK)
        return true;
    return tell(watch, event.type == WATCH_DELETED ? NULL : event.object);
}

static size_t
on_data(void *context, struct slice bytes)
{
    struct kube_watch *watch = context;
    size_t used = 0;

    for (;;) {
        const char *line = bytes.data + used;
        const char *end = memchr(line, '\n', bytes.len - used);
        if (!end)
            return used;
        used = (size_t)(end - bytes.data) + 1;
        if (end > line &&
            !take_event(watch, (struct slice){line, (size_t)(end - line)}))
            return used;
    }
}

static void
on_watch_done(void *context, const struct kube_answer *answer)
{
    struct kube_watch *watch = context;

    watch->call = NULL;
    if (answer->status == 410)
        keep_version(watch, NULL);
    else if (answer->status != 200 && answer->status != 0 &&
             !tell_problem(watch, answer))
        return;
    if (answer->status == 200) /* its time was over */
        watch->pauses = 0;
    pause_then_begin(watch);
}

static void
start(struct kube_watch *watch, const char *query, long timeout_ms, bool is_watch,
      kube_done_fn *done)
{
    const char *field = watch->spec.field ? watch->spec.field : "metadata.name";
    AUTO(mem) char *path = xasprintf("%s?fieldSelector=%s%%3D%s%s", watch->path, field,
                                     watch->spec.subject.name, query);

    watch->call = kube_api_start(watch->api, &(struct kube_request){
                                                 .method = "GET",
                                                 .path = path,
                                                 .subject = watch->spec.subject,
                                                 .timeout_ms = timeout_ms,
                                                 .patience_ms = PATIENCE_MS,
                                                 .on_data = is_watch ? on_data : NULL,
                                                 .on_done = done,
                                                 .context = watch,
                                             });
}

static void
start_watch(struct kube_watch *watch)
{
    AUTO(mem) char *query =
        xasprintf("&watch=1&allowWatchBookmarks=true&timeoutSeconds=%d"
                  "&resourceVersion=%s",
                  WATCH_SECONDS, watch->version);

    watch->spec.subject.verb = "watch";
    start(watch, query, (WATCH_SECONDS + 30) * 1000L, true, on_watch_done);
}

/* --- listing --- */

static void
on_list_done(void *context, const struct kube_answer *answer)
{
    struct kube_watch *watch = context;
    json_auto_t *list = json_loadb(answer->body.data, answer->body.len, 0, NULL);
    const char *version = version_of(list);

    watch->call = NULL;
    if (answer->status != 200 || !version) {
        if (tell_problem(watch, answer))
            pause_then_begin(watch);
        return;
    }
    keep_version(watch, version);
    watch->pauses = 0;
    if (tell_all(watch, json_object_get(list, "items")) && !timer_is_set(&watch->timer))
        start_watch(watch);
}

static void
begin(void *context)
{
    struct kube_watch *watch = context;

    if (*watch->version) {
        start_watch(watch);
        return;
    }
    watch->spec.subject.verb = "list";
    start(watch, "", LIST_MS, false, on_list_done);
}

struct kube_watch *
kube_watch_new(zloop_t *loop, struct kube_api *api, const struct kube_watch_spec *spec,
               const char *version)
{
    struct kube_watch *watch = xcalloc(1, sizeof(*watch));

    watch->loop = loop;
    watch->api = api;
    watch->spec = *spec;
    watch->path = xstrdup(spec->path);
    keep_version(watch, is_version(version) ? version : NULL);
    begin(watch);
    return watch;
}

void
kube_watch_free(struct kube_watch *watch)
{
    if (!watch)
        return;
    if (watch->freed)
        *watch->freed = true;
    if (watch->call)
        kube_api_cancel(watch->call);
    timer_cancel(&watch->timer);
    free(watch->path);
    free(watch);
}
