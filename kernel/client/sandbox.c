#include "kernel/client/sandbox.h"

#include "common/json_text.h"
#include "common/paths.h"
#include "kernel/client/call.h"
#include "kernel/client/claiming.h"
#include "kernel/client/event_stream.h"

#define LOG_COMPONENT "sandbox"
#include "common/log.h"

#define ANSWER_MS   30000
#define PATIENCE_MS 60000 /* for a sandboxd that has stopped, or a path that is cut */
#define END_MS      2000

/* Of a file on its way: a megabyte a second at least. */
#define FILE_MS(bytes)  (ANSWER_MS + (long)((bytes) >> 10))
#define GET_PATIENCE_MS 10000
#define MAX_TREE_BYTES  MIB(5) /* LIMIT_TREE_BYTES, as JSON may escape it */

#define RUN_AGAIN "Run the cell again: it gets a new sandbox."

enum sandbox_state {
    SANDBOX_NONE,
    SANDBOX_CLAIMING,
    SANDBOX_WAITING, /* ours; its first worker is on its way */
    SANDBOX_READY,
};

struct sandbox {
    struct sandbox_owner owner;
    struct sandbox_link link;
    struct claiming claiming;
    struct event_stream events;
    struct call_queue calls;

    enum sandbox_state state;
    char stage[640];     /* of the claim */
    unsigned generation; /* rises with each claim and each loss */
    unsigned interrupts; /* of this sandbox */
};

const char *
sandbox_id(const struct sandbox *sandbox)
{
    return sandbox->link.id ? sandbox->link.id : "";
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
    return sandbox->stage;
}

const struct sandbox_link *
sandbox_link_of(const struct sandbox *sandbox)
{
    return sandbox->state == SANDBOX_READY ? &sandbox->link : NULL;
}

static void
enter(struct sandbox *sandbox, enum sandbox_state state, const char *stage)
{
    if (sandbox->state == state && strcmp(sandbox->stage, stage) == 0)
        return;
    sandbox->state = state;
    snprintf(sandbox->stage, sizeof(sandbox->stage), "%s", stage);
    log_info("state=\"%s\"", stage);
    if (sandbox_is_coming(sandbox))
        sandbox->owner.on_stage(sandbox->owner.context, sandbox->stage);
}

/* --- calls --- */

static struct call *
new_call(struct sandbox *sandbox, const char *id, call_done_fn *done)
{
    struct call *call = call_new(&sandbox->calls, done);

    call->sandbox = sandbox;
    call->generation = sandbox->generation;
    call->id = xstrdup(id);
    return call;
}

static bool
is_current(const struct call *call)
{
    return call->generation == call->sandbox->generation;
}

static void
send_call(struct call *call, const char *path, struct buffer *body,
          const char *content_type)
{
    call_send(call, &call->sandbox->link,
              &(struct call_spec){.method = body ? "POST" : "GET",
                                  .path = path,
                                  .content_type = content_type,
                                  .body = body,
                                  .timeout_ms = ANSWER_MS,
                                  .tries_for_ms = PATIENCE_MS});
}

static void
send_json(struct call *call, const char *path, struct buffer *body)
{
    send_call(call, path, body, "application/json");
}

/* --- the end of a sandbox --- */

static void
on_end_done(struct call *call, const struct http_result *result UNUSED)
{
    if (call->ended)
        claiming_leave(&call->sandbox->claiming, call->ended, call->context);
}

static void
destroy(struct sandbox *sandbox, sandbox_ended_fn *done, void *context)
{
    struct call *call = new_call(sandbox, "", on_end_done);

    call->ended = done;
    call->context = context;
    call_send(call, &sandbox->link,
              &(struct call_spec){.method = "DELETE",
                                  .path = "",
                                  .timeout_ms = END_MS,
                                  .tries_for_ms = END_MS});
}

/* Later events of it are ignored. */
static void
abandon(struct sandbox *sandbox)
{
    sandbox->generation++;
    call_queue_stop_trying(&sandbox->calls);
}

static void
forget(struct sandbox *sandbox)
{
    event_stream_close(&sandbox->events);
    sandbox_link_forget(&sandbox->link);
    sandbox->interrupts = 0;
    enter(sandbox, SANDBOX_NONE, "no sandbox");
}

static void
lose(struct sandbox *sandbox, const struct sandbox_loss *loss)
{
    log_error("lost reason=\"%s\"", loss->message);
    abandon(sandbox);
    if (sandbox->link.id)
        destroy(sandbox, NULL, NULL);
    forget(sandbox);
    claiming_leave(&sandbox->claiming, NULL, NULL);
    sandbox->owner.on_lost(sandbox->owner.context, loss);
}

/* --- claiming --- */

static void
on_stage(void *context, const char *stage)
{
    enter(context, SANDBOX_CLAIMING, stage);
}

static void
on_claimed(void *context, const json_t *kept)
{
    struct sandbox *sandbox = context;
    const json_t *elsewhere = json_object_get(kept, "elsewhere");

    if (elsewhere)
        sandbox->owner.on_elsewhere(sandbox->owner.context,
                                    json_integer_value(elsewhere));
    if (kept && !elsewhere) {
        enter(sandbox, SANDBOX_READY, "session taken over");
        sandbox->owner.on_taken(sandbox->owner.context, kept);
        return;
    }
    enter(sandbox, SANDBOX_WAITING, "sandbox claimed, starting Python in it");
    event_stream_open(&sandbox->events, 0);
}

void
sandbox_listen(struct sandbox *sandbox, json_int_t after)
{
    if (sandbox->state == SANDBOX_READY)
        event_stream_open(&sandbox->events, after);
}

static void
on_lost(void *context, const struct sandbox_loss *loss)
{
    lose(context, loss);
}

/* A loss that the place notices, the place reports itself. For other losses, the place
 * explains the loss, or is named in the message. */
static void
lose_at_place(void *context, const struct sandbox_loss *loss)
{
    struct sandbox *sandbox = context;
    if (claiming_explain(&sandbox->claiming, loss->message))
        return;
    const char *title = claiming_title(&sandbox->claiming);
    AUTO(mem) char *message =
        title ? xasprintf("%s: %s", title, loss->message) : xstrdup(loss->message);

    lose(sandbox, &(struct sandbox_loss){message, loss->remedy});
}

void
sandbox_claim(struct sandbox *sandbox, const json_t *spec)
{
    if (sandbox->state != SANDBOX_NONE)
        return;
    sandbox->generation++;
    enter(sandbox, SANDBOX_CLAIMING, "claiming a sandbox");
    claiming_start(&sandbox->claiming, spec);
}

/* --- events --- */

/* The remedy for what failed, and the command that checks all the rest. */
static char *
advice(const char *remedy)
{
    struct error err;
    AUTO(mem) char *program = paths_installed("bin/cellpod", &err);

    return xasprintf("%s%s`%s doctor` shows what else this machine lacks.", remedy,
                     *remedy ? "\n" : "", program ? program : "cellpod");
}

static void
on_failed(struct sandbox *sandbox, const struct envelope *event)
{
    json_auto_t *content =
        json_loadb(event->content.data, event->content.len, JSON_ALLOW_NUL, NULL);
    const char *message = json_string_value(json_object_get(content, "message"));
    const char *remedy = json_string_value(json_object_get(content, "remedy"));
    AUTO(mem) char *helps = advice(remedy ? remedy : "");

    lose(sandbox, &(struct sandbox_loss){
                      message ? message : "the sandbox could not be made", helps});
}

static void
on_ended(struct sandbox *sandbox, const struct envelope *event)
{
    json_auto_t *content =
        json_loadb(event->content.data, event->content.len, JSON_ALLOW_NUL, NULL);
    const char *message = json_string_value(json_object_get(content, "message"));

    lose_at_place(sandbox, &(struct sandbox_loss){
                               message ? message : "the sandbox has ended", RUN_AGAIN});
}

static void
on_event(void *context, const struct envelope *event)
{
    struct sandbox *sandbox = context;

    if (strcmp(event->type, "sandbox_failed") == 0) {
        on_failed(sandbox, event);
    } else if (strcmp(event->type, "sandbox_ended") == 0) {
        on_ended(sandbox, event);
    } else if (strcmp(event->type, "sandbox_ready") == 0) {
        if (sandbox->state == SANDBOX_WAITING) {
            enter(sandbox, SANDBOX_READY, "sandbox ready");
            sandbox->owner.on_ready(sandbox->owner.context, event);
        }
    } else {
        sandbox->owner.on_event(sandbox->owner.context, event);
    }
}

void
sandbox_hold(struct sandbox *sandbox, bool hold)
{
    event_stream_hold(&sandbox->events, hold);
}

/* --- what the kernel asks --- */

static void
on_request_done(struct call *call, const struct http_result *result)
{
    struct sandbox *sandbox = call->sandbox;
    struct error err;

    if (!is_current(call))
        return;
    if (result->status == 404 || result->status == 403) {
        lose_at_place(sandbox,
                      &(struct sandbox_loss){"the sandbox has ended", RUN_AGAIN});
        return;
    }
    if (!sandbox_link_is_success(result))
        sandbox_link_refusal(&sandbox->link, result, &err);
    if (result->status == 0) { /* sandboxd may or may not have it */
        lose(sandbox, &(struct sandbox_loss){err.text, RUN_AGAIN});
        return;
    }
    sandbox->owner.on_sent(sandbox->owner.context, call->id,
                           sandbox_link_is_success(result) ? NULL : &err);
}

void
sandbox_send(struct sandbox *sandbox, const char *id, struct buffer *envelope)
{
    send_call(new_call(sandbox, id, on_request_done), "/requests", envelope,
              "application/x-cellpod-envelope");
}

static void
on_interrupt_done(struct call *call, const struct http_result *result)
{
    json_auto_t *body = json_loadb(result->body.data, result->body.len, 0, NULL);
    bool delivered = sandbox_link_is_success(result) &&
                     json_is_true(json_object_get(body, "delivered"));

    if (is_current(call))
        call->sandbox->owner.on_interrupted(call->sandbox->owner.context, call->id,
                                            delivered);
}

void
sandbox_interrupt(struct sandbox *sandbox, const char *id)
{
    AUTO(buffer) struct buffer body = BUFFER_INIT(SIZE_MAX);

    json_text_append(&body, json_pack("{s:s, s:I}", "request", id, "number",
                                      (json_int_t)++sandbox->interrupts));
    send_json(new_call(sandbox, id, on_interrupt_done), "/interrupt", &body);
}

static void
on_input_done(struct call *call UNUSED, const struct http_result *result)
{
    if (!sandbox_link_is_success(result))
        log_info("input was not accepted status=%ld", result->status);
}

void
sandbox_input(struct sandbox *sandbox, struct slice value, json_int_t question)
{
    AUTO(buffer) struct buffer body = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&body, "{\"value\":");
    buffer_append(&body, value.data, value.len);
    buffer_printf(&body, ",\"question\":%lld}", (long long)question);
    send_json(new_call(sandbox, "", on_input_done), "/input", &body);
}

static void
on_usage_done(struct call *call, const struct http_result *result)
{
    call->usage(call->context,
                sandbox_link_is_success(result) ? result->body : SLICE(""));
}

void
sandbox_usage(struct sandbox *sandbox, sandbox_usage_fn *done, void *context)
{
    if (sandbox->state != SANDBOX_READY) {
        done(context, SLICE(""));
        return;
    }
    struct call *call = new_call(sandbox, "", on_usage_done);
    call->usage = done;
    call->context = context;
    send_call(call, "/usage", NULL, NULL);
}

static void
on_file_done(struct call *call, const struct http_result *result)
{
    if (is_current(call))
        call->file(call->context, result);
}

static struct call *
new_file_call(struct sandbox *sandbox, const char *target, sandbox_file_fn *done,
              void *context)
{
    struct call *call = new_call(sandbox, target, on_file_done);

    call->file = done;
    call->context = context;
    return call;
}

void
sandbox_put_file(struct sandbox *sandbox, const struct sandbox_file *file,
                 sandbox_file_fn *done, void *context)
{
    AUTO(mem) char *target =
        xasprintf("/files/%s?mode=%s&unless=%s", file->path,
                  file->is_executable ? "0755" : "0644", file->unless);
    struct call *call = new_file_call(sandbox, target, done, context);

    call_send(call, &sandbox->link,
              &(struct call_spec){.method = "PUT",
                                  .path = call->id,
                                  .content_type = "application/octet-stream",
                                  .body = file->bytes,
                                  .timeout_ms = FILE_MS(file->bytes->len),
                                  .tries_for_ms = PATIENCE_MS});
}

void
sandbox_get_file(struct sandbox *sandbox, const struct sandbox_file *file,
                 sandbox_file_fn *done, void *context)
{
    AUTO(mem) char *target = xasprintf("/files/%s", file->path);
    struct call *call = new_file_call(sandbox, target, done, context);

    call_send(call, &sandbox->link,
              &(struct call_spec){.method = "GET",
                                  .path = call->id,
                                  .timeout_ms = FILE_MS(file->most),
                                  .tries_for_ms = GET_PATIENCE_MS,
                                  .max_bytes = file->most});
}

void
sandbox_get_tree(struct sandbox *sandbox, sandbox_file_fn *done, void *context)
{
    struct call *call = new_file_call(sandbox, "", done, context);

    call_send(call, &sandbox->link,
              &(struct call_spec){.method = "GET",
                                  .path = "/tree",
                                  .timeout_ms = ANSWER_MS,
                                  .tries_for_ms = GET_PATIENCE_MS,
                                  .max_bytes = MAX_TREE_BYTES});
}

void
sandbox_end(struct sandbox *sandbox, sandbox_ended_fn *done, void *context)
{
    bool is_there = sandbox->link.id;

    abandon(sandbox);
    if (is_there)
        destroy(sandbox, done, context);
    forget(sandbox);
    if (!is_there)
        claiming_leave(&sandbox->claiming, done, context);
}

/* --- life --- */

struct sandbox *
sandbox_new(zloop_t *loop, const struct place_spec *place,
            const struct sandbox_owner *owner)
{
    struct sandbox *sandbox = xcalloc(1, sizeof(*sandbox));
    const struct claiming_owner claiming = {on_stage, on_claimed, on_lost, sandbox};
    const struct event_stream_owner events = {on_event, lose_at_place, sandbox};

    sandbox->owner = *owner;
    snprintf(sandbox->stage, sizeof(sandbox->stage), "no sandbox");
    /* opened with the first claim: a start without is faster */
    sandbox->link.pool = http_pool_new(loop);
    claiming_init(&sandbox->claiming, loop, &sandbox->link, place, &claiming);
    event_stream_init(&sandbox->events, loop, &sandbox->link, &events);
    call_queue_init(&sandbox->calls, loop);
    return sandbox;
}

void
sandbox_free(struct sandbox *sandbox)
{
    if (!sandbox)
        return;
    abandon(sandbox);
    forget(sandbox);
    call_queue_end(&sandbox->calls);
    claiming_release(&sandbox->claiming);
    http_pool_free(sandbox->link.pool);
    sandbox_link_release(&sandbox->link);
    free(sandbox);
}
