#include "kernel/sandbox.h"

#include <stdio.h>
#include <sys/queue.h>

#include "common/limits.h"
#include "kernel/sandboxd_start.h"
#include "kernel/session.h"

#define LOG_COMPONENT "sandbox"
#include "common/log.h"

#define CONNECT_MS         5000
#define ANSWER_MS          30000
#define END_MS             2000
#define CLAIM_PATIENCE_MS  10000 /* for a sandboxd that does not answer */
#define CLAIM_RETRY_MS     20    /* beside us; over a network less often */
#define CLAIM_RETRY_FAR_MS 500
#define RESUMES_LOCAL      4 /* a sandboxd beside us is there or gone */
#define RESUMES_REMOTE     20
#define RESUME_STEP_MS     50
#define LONGEST_TOKEN      512
#define LONGEST_SANDBOX_ID 128

enum sandbox_state {
    SANDBOX_NONE,
    SANDBOX_STARTING, /* sandboxd */
    SANDBOX_CLAIMING,
    SANDBOX_WAITING, /* ours; its first worker is on its way */
    SANDBOX_READY,
};

/* One POST (or the like) under way. */
struct post {
    LIST_ENTRY(post) link;
    struct sandbox *sandbox;
    unsigned generation; /* of the sandbox that it was for */
    void (*done)(struct post *post, const struct http_result *result);
    char *id; /* the request's; owned */
    union {
        sandbox_usage_fn *usage;
        sandbox_ended_fn *ended;
    };
    void *arg;
};

struct sandbox {
    zloop_t *loop;
    struct http_pool *pool; /* opened with the first claim: a start without is faster */
    struct sandbox_place place;
    struct sandbox_owner owner;
    LIST_HEAD(, post) posts;

    enum sandbox_state state;
    unsigned generation; /* rises with each claim and each loss */
    char *claim_body;
    bool has_started_one; /* sandboxd, for this claim */
    int64_t claim_deadline;
    struct sandboxd_start *start;
    struct http_call *claim_call;

    char *id, *token_header;
    struct http_call *events;
    json_int_t last_seq, resumed_at;
    unsigned resumes; /* without an event in between */
    size_t needed;    /* bytes, before a look at them is worth while */
    bool is_held;
    int timer; /* for the next try; -1: none */
};

static void post_claim(struct sandbox *sandbox);
static void open_events(struct sandbox *sandbox);

struct sandbox *
sandbox_new(zloop_t *loop, const struct sandbox_place *place,
            const struct sandbox_owner *owner)
{
    struct sandbox *sandbox = xcalloc(1, sizeof(*sandbox));

    sandbox->loop = loop;
    sandbox->pool = http_pool_new(loop);
    sandbox->place = *place;
    sandbox->owner = *owner;
    sandbox->timer = -1;
    LIST_INIT(&sandbox->posts);
    return sandbox;
}

bool
sandbox_is_ready(const struct sandbox *sandbox)
{
    return sandbox->state == SANDBOX_READY;
}

bool
sandbox_is_coming(const struct sandbox *sandbox)
{
    return sandbox->state != SANDBOX_NONE && sandbox->state != SANDBOX_READY;
}

const char *
sandbox_stage(const struct sandbox *sandbox)
{
    static const char *const stages[] = {
        [SANDBOX_NONE] = "no sandbox",
        [SANDBOX_STARTING] = "starting cellpod-sandboxd",
        [SANDBOX_CLAIMING] = "claiming a sandbox",
        [SANDBOX_WAITING] = "sandbox claimed, starting Python in it",
        [SANDBOX_READY] = "sandbox ready",
    };

    return stages[sandbox->state];
}

static void
enter(struct sandbox *sandbox, enum sandbox_state state)
{
    sandbox->state = state;
    log_info("state=\"%s\"", sandbox_stage(sandbox));
    if (sandbox_is_coming(sandbox))
        sandbox->owner.on_stage(sandbox->owner.arg, sandbox_stage(sandbox));
}

/* --- tries, later --- */

static void
stop_timer(struct sandbox *sandbox)
{
    if (sandbox->timer >= 0)
        zloop_timer_end(sandbox->loop, sandbox->timer);
    sandbox->timer = -1;
}

static int
on_timer(zloop_t *loop UNUSED, int timer, void *arg)
{
    struct sandbox *sandbox = arg;

    if (timer != sandbox->timer) /* cancelled in this very pass */
        return 0;
    sandbox->timer = -1;
    if (sandbox->state == SANDBOX_CLAIMING)
        post_claim(sandbox);
    else if (sandbox->state > SANDBOX_CLAIMING)
        open_events(sandbox);
    return 0;
}

static void
try_again(struct sandbox *sandbox, size_t delay_ms)
{
    stop_timer(sandbox);
    sandbox->timer = zloop_timer(sandbox->loop, delay_ms, 1, on_timer, sandbox);
}

/* --- posts --- */

static void
free_post(struct post *post)
{
    LIST_REMOVE(post, link);
    free(post->id);
    free(post);
}

static void
on_post_done(void *arg, const struct http_result *result)
{
    struct post *post = arg;

    post->done(post, result);
    free_post(post);
}

static struct post *
new_post(struct sandbox *sandbox, const char *id,
         void (*done)(struct post *, const struct http_result *))
{
    struct post *post = xcalloc(1, sizeof(*post));

    post->sandbox = sandbox;
    post->generation = sandbox->generation;
    post->id = xstrdup(id);
    post->done = done;
    LIST_INSERT_HEAD(&sandbox->posts, post, link);
    return post;
}

static bool
is_current(const struct post *post)
{
    return post->generation == post->sandbox->generation;
}

/* path is below /v1/sandboxes */
static struct http_call *
start_call(struct sandbox *sandbox, const char *path, struct http_request request)
{
    AUTO(mem) char *url = xasprintf("%s/v1/sandboxes%s", sandbox->place.url, path);

    request.url = url;
    request.unix_path = sandbox->place.unix_path;
    request.token_header = sandbox->token_header;
    request.connect_timeout_ms = CONNECT_MS;
    return http_start(sandbox->pool, &request);
}

static void
send_post(struct post *post, const char *method, const char *call, struct buffer *body,
          const char *content_type)
{
    AUTO(mem) char *path = xasprintf("/%s%s", post->sandbox->id, call);

    start_call(post->sandbox, path,
               (struct http_request){.method = method,
                                     .content_type = body ? content_type : NULL,
                                     .body = body,
                                     .timeout_ms = ANSWER_MS,
                                     .max_bytes = LIMIT_HTTP_BODY,
                                     .on_done = on_post_done,
                                     .arg = post});
}

static void
send_json(struct post *post, const char *call, struct buffer *body)
{
    send_post(post, "POST", call, body, "application/json");
}

/* libcurl speaks of a host and a port also where there is only a socket. */
static void
describe_silence(const struct sandbox *sandbox, const struct error *why,
                 struct error *err)
{
    if (sandbox->place.unix_path)
        error_format(err, ERR_UNAVAILABLE, "sandboxd does not answer at %.300s",
                     sandbox->place.unix_path);
    else
        error_format(err, ERR_UNAVAILABLE, "sandboxd does not answer: %s", why->text);
}

/* "message" of {"error":{…}}; what is not ours to read is told by its status. */
static void
read_refusal(const struct sandbox *sandbox, const struct http_result *result,
             struct error *err)
{
    json_auto_t *body = json_loadb(result->body.data, result->body.len, 0, NULL);
    const char *message =
        json_string_value(json_object_get(json_object_get(body, "error"), "message"));

    if (result->status == 0)
        describe_silence(sandbox, &result->error, err);
    else if (message)
        error_format(err, ERR_UNAVAILABLE, "%s", message);
    else
        error_format(err, ERR_UNAVAILABLE, "sandboxd answered with status %ld",
                     result->status);
}

static bool
is_success(const struct http_result *result)
{
    return result->status >= 200 && result->status < 300;
}

/* --- the end of a sandbox --- */

static void
on_end_done(struct post *post, const struct http_result *result UNUSED)
{
    if (post->ended)
        post->ended(post->arg);
}

static void
destroy(struct sandbox *sandbox, sandbox_ended_fn *done, void *arg)
{
    AUTO(mem) char *path = xasprintf("/%s", sandbox->id);
    struct post *post = new_post(sandbox, "", on_end_done);

    post->ended = done;
    post->arg = arg;
    start_call(sandbox, path,
               (struct http_request){.method = "DELETE",
                                     .timeout_ms = END_MS,
                                     .max_bytes = LIMIT_HTTP_BODY,
                                     .on_done = on_post_done,
                                     .arg = post});
}

static void
forget(struct sandbox *sandbox)
{
    sandbox->generation++;
    stop_timer(sandbox);
    if (sandbox->events)
        http_cancel(TAKE(sandbox->events));
    if (sandbox->claim_call)
        http_cancel(TAKE(sandbox->claim_call));
    sandboxd_start_cancel(TAKE(sandbox->start));
    free(TAKE(sandbox->id));
    free(TAKE(sandbox->token_header));
    free(TAKE(sandbox->claim_body));
    sandbox->is_held = false;
    sandbox->state = SANDBOX_NONE;
}

static void
lose(struct sandbox *sandbox, const char *message, const char *remedy)
{
    const struct sandbox_loss loss = {message, remedy};

    log_error("lost reason=\"%s\"", message);
    if (sandbox->id)
        destroy(sandbox, NULL, NULL);
    forget(sandbox);
    sandbox->owner.on_lost(sandbox->owner.arg, &loss);
}

/* --- claiming --- */

static void
on_sandboxd_started(void *arg, const struct error *err)
{
    struct sandbox *sandbox = arg;

    sandbox->start = NULL; /* it is gone after this call */
    if (err) {
        lose(sandbox, err->text, "Run `cellpod-sandboxd' by hand to see more.");
        return;
    }
    enter(sandbox, SANDBOX_CLAIMING);
    post_claim(sandbox);
}

static void
start_sandboxd(struct sandbox *sandbox)
{
    struct error err;

    sandbox->has_started_one = true;
    enter(sandbox, SANDBOX_STARTING);
    if (sandboxd_start(&sandbox->start, sandbox->loop, sandbox->place.unix_path,
                       on_sandboxd_started, sandbox, &err) < 0)
        lose(sandbox, err.text, "Install cellpod again: a part of it is missing.");
}

/* Copies: the call below replaces both. */
static bool
read_claim(struct sandbox *sandbox, struct slice text)
{
    json_auto_t *body = json_loadb(text.data, text.len, 0, NULL);
    const char *id = json_string_value(json_object_get(body, "id"));
    const char *token = json_string_value(json_object_get(body, "token"));

    if (!id || !*id || strlen(id) > LONGEST_SANDBOX_ID || strpbrk(id, "/?#% \r\n"))
        return false;
    if (token && (strlen(token) > LONGEST_TOKEN || strpbrk(token, "\r\n")))
        return false;
    sandbox->id = xstrdup(id);
    sandbox->token_header =
        token && *token ? xasprintf("X-Cellpod-Token: %s", token) : NULL;
    return true;
}

/* Nobody answers: start sandboxd, or wait for one that somebody else is starting. */
static void
claim_unanswered(struct sandbox *sandbox, const struct error *err)
{
    struct error silence;

    if (sandbox->place.starts_sandboxd && !sandbox->has_started_one) {
        start_sandboxd(sandbox);
    } else if (zclock_mono() < sandbox->claim_deadline) {
        try_again(sandbox,
                  sandbox->place.unix_path ? CLAIM_RETRY_MS : CLAIM_RETRY_FAR_MS);
    } else {
        describe_silence(sandbox, err, &silence);
        lose(sandbox, silence.text,
             "Check that cellpod-sandboxd runs and can be reached.");
    }
}

static void
on_claimed(void *arg, const struct http_result *result)
{
    struct sandbox *sandbox = arg;
    struct error err;

    sandbox->claim_call = NULL;
    if (result->status == 0) {
        claim_unanswered(sandbox, &result->error);
    } else if (!is_success(result)) {
        read_refusal(sandbox, result, &err);
        lose(sandbox, err.text, "");
    } else if (!read_claim(sandbox, result->body)) {
        lose(sandbox, "sandboxd answered a claim with what is no sandbox", "");
    } else {
        sandbox->last_seq = 0;
        sandbox->resumes = 0;
        sandbox->resumed_at = -1;
        enter(sandbox, SANDBOX_WAITING);
        open_events(sandbox);
    }
}

static void
post_claim(struct sandbox *sandbox)
{
    AUTO(buffer) struct buffer body = BUFFER_INIT(SIZE_MAX);

    /* Seldom is there a socket that nobody listens on, so look before asking. */
    if (sandbox->place.starts_sandboxd && !sandbox->has_started_one &&
        access(sandbox->place.unix_path, F_OK) < 0) {
        start_sandboxd(sandbox);
        return;
    }
    buffer_append_text(&body, sandbox->claim_body);
    sandbox->claim_call =
        start_call(sandbox, "",
                   (struct http_request){.method = "POST",
                                         .content_type = "application/json",
                                         .body = &body,
                                         .timeout_ms = ANSWER_MS,
                                         .max_bytes = LIMIT_HTTP_BODY,
                                         .on_done = on_claimed,
                                         .arg = sandbox});
}

void
sandbox_claim(struct sandbox *sandbox, const json_t *spec)
{
    json_auto_t *body = json_copy((json_t *)spec);
    char task[UUID_LEN + 1];
    struct error err;

    if (sandbox->state != SANDBOX_NONE)
        return;
    if (uuid_make(task, &err) < 0 || http_pool_open(sandbox->pool, &err) < 0) {
        lose(sandbox, err.text, "Install what cellpod needs: see its README.");
        return;
    }
    json_object_set_new(body, "task_id", json_string(task));
    sandbox->claim_body = json_dumps(body, JSON_COMPACT);
    sandbox->has_started_one = false;
    sandbox->claim_deadline = zclock_mono() + CLAIM_PATIENCE_MS;
    sandbox->generation++;
    enter(sandbox, SANDBOX_CLAIMING);
    post_claim(sandbox);
}

/* --- events --- */

static void
on_failed(struct sandbox *sandbox, const struct envelope *event)
{
    json_auto_t *content =
        json_loadb(event->content.data, event->content.len, JSON_ALLOW_NUL, NULL);
    const char *message = json_string_value(json_object_get(content, "message"));
    const char *remedy = json_string_value(json_object_get(content, "remedy"));

    lose(sandbox, message ? message : "the sandbox could not be made",
         remedy ? remedy : "");
}

static void
on_event(struct sandbox *sandbox, const struct envelope *event)
{
    sandbox->last_seq = event->seq;
    if (strcmp(event->type, "sandbox_failed") == 0) {
        on_failed(sandbox, event);
    } else if (strcmp(event->type, "sandbox_ready") == 0) {
        if (sandbox->state == SANDBOX_WAITING) {
            enter(sandbox, SANDBOX_READY);
            sandbox->owner.on_ready(sandbox->owner.arg, event);
        }
    } else {
        sandbox->owner.on_event(sandbox->owner.arg, event);
    }
}

/* Take the stream up again behind the last event. Twice without any progress is once
 * too often when the stream itself is bad; a mere cut gets more patience. */
static void
resume(struct sandbox *sandbox, bool is_bad, const char *why)
{
    unsigned most = is_bad                     ? 1
                    : sandbox->place.unix_path ? RESUMES_LOCAL
                                               : RESUMES_REMOTE;
    char message[400];

    if (sandbox->resumed_at != sandbox->last_seq)
        sandbox->resumes = 0;
    sandbox->resumed_at = sandbox->last_seq;
    if (sandbox->events)
        http_cancel(TAKE(sandbox->events));
    if (sandbox->resumes++ < most) {
        log_info("resume after=%lld reason=\"%s\"", (long long)sandbox->last_seq, why);
        try_again(sandbox, RESUME_STEP_MS * (sandbox->resumes - 1));
        return;
    }
    snprintf(message, sizeof(message), "the connection to the sandbox is lost: %.300s",
             why);
    lose(sandbox, message, "Run the cell again: it gets a new sandbox.");
}

/* True if the event is the next one. */
static bool
check_seq(struct sandbox *sandbox, const struct envelope *event)
{
    char why[120];

    if (event->seq == sandbox->last_seq + 1)
        return true;
    if (event->seq > 0 && event->seq <= sandbox->last_seq)
        return false; /* seen before: a cut came in between */
    snprintf(why, sizeof(why), "output is missing, event %lld came after %lld",
             (long long)event->seq, (long long)sandbox->last_seq);
    resume(sandbox, true, why);
    return false;
}

/* One event off the front: bytes used, 0 if there is none, -1 if the stream is over. */
static ssize_t
take_event(struct sandbox *sandbox, struct slice bytes)
{
    AUTO(envelope) struct envelope event = ENVELOPE_INIT;
    const unsigned generation = sandbox->generation;
    const struct http_call *stream = sandbox->events;
    struct error err;
    ssize_t used = envelope_parse(bytes, &event, &sandbox->needed, &err);

    if (used < 0)
        resume(sandbox, true, err.text);
    if (used <= 0)
        return used;
    if (check_seq(sandbox, &event))
        on_event(sandbox, &event);
    return generation == sandbox->generation && stream == sandbox->events ? used : -1;
}

static size_t
on_event_bytes(void *arg, struct slice bytes)
{
    struct sandbox *sandbox = arg;
    struct slice rest = bytes;

    while (rest.len && rest.len >= sandbox->needed && !sandbox->is_held) {
        ssize_t used = take_event(sandbox, rest);
        if (used < 0)
            return 0; /* this stream is over */
        if (used == 0)
            break; /* until as many bytes are there as `needed` now says */
        sandbox->needed = 0;
        rest = (struct slice){rest.data + used, rest.len - (size_t)used};
    }
    return bytes.len - rest.len;
}

static void
on_events_end(void *arg, const struct http_result *result)
{
    struct sandbox *sandbox = arg;
    struct error err;

    sandbox->events = NULL;
    if (result->status == 200) {
        resume(sandbox, false, "sandboxd ended the stream of events");
    } else if (result->status == 404) {
        lose(sandbox, "the sandbox has ended",
             "Run the cell again: it gets a new sandbox.");
    } else if (result->status == 410) {
        lose(sandbox, "output was lost: sandboxd no longer has it",
             "Run the cell again: it gets a new sandbox.");
    } else {
        read_refusal(sandbox, result, &err);
        resume(sandbox, false, err.text);
    }
}

static void
open_events(struct sandbox *sandbox)
{
    AUTO(mem)
    char *path =
        xasprintf("/%s/events?after=%lld", sandbox->id, (long long)sandbox->last_seq);

    sandbox->needed = 0;
    sandbox->events =
        start_call(sandbox, path,
                   (struct http_request){.method = "GET",
                                         .max_bytes = LIMIT_ENVELOPE_BYTES + MIB(32),
                                         .on_data = on_event_bytes,
                                         .on_done = on_events_end,
                                         .arg = sandbox});
    http_hold(sandbox->events, sandbox->is_held);
}

void
sandbox_hold(struct sandbox *sandbox, bool hold)
{
    sandbox->is_held = hold;
    if (sandbox->events)
        http_hold(sandbox->events, hold);
}

/* --- what the kernel asks --- */

static void
on_request_done(struct post *post, const struct http_result *result)
{
    struct sandbox *sandbox = post->sandbox;
    struct error err;

    if (!is_current(post))
        return;
    if (result->status == 404) {
        lose(sandbox, "the sandbox has ended",
             "Run the cell again: it gets a new sandbox.");
        return;
    }
    if (!is_success(result))
        read_refusal(sandbox, result, &err);
    if (result->status == 0 && sandbox->place.unix_path) {
        lose(sandbox, err.text, "Run the cell again: it gets a new sandbox.");
        return;
    }
    sandbox->owner.on_sent(sandbox->owner.arg, post->id,
                           is_success(result) ? NULL : &err);
}

void
sandbox_send(struct sandbox *sandbox, const char *id, struct buffer *envelope)
{
    send_post(new_post(sandbox, id, on_request_done), "POST", "/requests", envelope,
              "application/x-cellpod-envelope");
}

static void
on_interrupt_done(struct post *post, const struct http_result *result)
{
    json_auto_t *body = json_loadb(result->body.data, result->body.len, 0, NULL);
    bool delivered =
        is_success(result) && json_is_true(json_object_get(body, "delivered"));

    if (is_current(post))
        post->sandbox->owner.on_interrupted(post->sandbox->owner.arg, post->id,
                                            delivered);
}

void
sandbox_interrupt(struct sandbox *sandbox, const char *id)
{
    AUTO(buffer) struct buffer body = BUFFER_INIT(SIZE_MAX);

    buffer_printf(&body, "{\"request\":\"%s\"}", id);
    send_json(new_post(sandbox, id, on_interrupt_done), "/interrupt", &body);
}

static void
on_input_done(struct post *post UNUSED, const struct http_result *result)
{
    if (!is_success(result))
        log_info("input was not taken status=%ld", result->status);
}

void
sandbox_input(struct sandbox *sandbox, struct slice value)
{
    AUTO(buffer) struct buffer body = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&body, "{\"value\":");
    buffer_append(&body, value.data, value.len);
    buffer_append_text(&body, "}");
    send_json(new_post(sandbox, "", on_input_done), "/input", &body);
}

static void
on_usage_done(struct post *post, const struct http_result *result)
{
    post->usage(post->arg, is_success(result) ? result->body : SLICE(""));
}

void
sandbox_usage(struct sandbox *sandbox, sandbox_usage_fn *done, void *arg)
{
    if (sandbox->state != SANDBOX_READY) {
        done(arg, SLICE(""));
        return;
    }
    struct post *post = new_post(sandbox, "", on_usage_done);
    post->usage = done;
    post->arg = arg;
    send_post(post, "GET", "/usage", NULL, NULL);
}

void
sandbox_end(struct sandbox *sandbox, sandbox_ended_fn *done, void *arg)
{
    bool is_there = sandbox->id;

    if (is_there)
        destroy(sandbox, done, arg);
    forget(sandbox);
    if (!is_there)
        done(arg);
}

void
sandbox_free(struct sandbox *sandbox)
{
    struct post *post;

    if (!sandbox)
        return;
    forget(sandbox);
    http_pool_free(sandbox->pool);
    while ((post = LIST_FIRST(&sandbox->posts))) /* each has its end */
        on_post_done(post, &(struct http_result){0});
    free(sandbox);
}
