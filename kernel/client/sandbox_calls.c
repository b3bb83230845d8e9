/* What the kernel asks of its sandbox. */
#include "common/json_text.h"
#include "kernel/client/sandbox_parts.h"

#define LOG_COMPONENT "sandbox"
#include "common/log.h"

#define ANSWER_MS   30000
#define PATIENCE_MS 60000 /* for a sandboxd that has stopped, or a path that is cut */

/* Of a file on its way: a megabyte a second at least. */
#define FILE_MS(bytes)  (ANSWER_MS + (long)((bytes) >> 10))
#define GET_PATIENCE_MS 10000
#define MAX_TREE_BYTES  MIB(5) /* LIMIT_TREE_BYTES, as JSON may escape it */

struct call *
sandbox_new_call(struct sandbox *sandbox, const char *id, call_done_fn *done)
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

static void
on_request_done(struct call *call, const struct http_result *result)
{
    struct sandbox *sandbox = call->sandbox;
    struct error err;

    if (!is_current(call))
        return;
    if (result->status == 404 || result->status == 403) {
        sandbox_lose_at_place(
            sandbox, &(struct sandbox_loss){"the sandbox has ended", RUN_AGAIN});
        return;
    }
    if (!sandbox_link_is_success(result))
        sandbox_link_refusal(&sandbox->link, result, &err);
    if (result->status == 0) { /* sandboxd may or may not have it */
        sandbox_lose_at_place(sandbox, &(struct sandbox_loss){err.text, RUN_AGAIN});
        return;
    }
    sandbox->owner.on_sent(sandbox->owner.context, call->id,
                           sandbox_link_is_success(result) ? NULL : &err);
}

void
sandbox_send(struct sandbox *sandbox, const char *id, const struct trace_id *trace,
             struct buffer *envelope)
{
    call_send(sandbox_new_call(sandbox, id, on_request_done), &sandbox->link,
              &(struct call_spec){.method = "POST",
                                  .path = "/requests",
                                  .content_type = "application/x-cellpod-envelope",
                                  .body = envelope,
                                  .timeout_ms = ANSWER_MS,
                                  .tries_for_ms = PATIENCE_MS,
                                  .trace = trace});
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
    send_json(sandbox_new_call(sandbox, id, on_interrupt_done), "/interrupt", &body);
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
    send_json(sandbox_new_call(sandbox, "", on_input_done), "/input", &body);
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
    struct call *call = sandbox_new_call(sandbox, "", on_usage_done);
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
    struct call *call = sandbox_new_call(sandbox, target, on_file_done);

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
