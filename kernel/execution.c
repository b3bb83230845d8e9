#include "kernel/execution.h"

#include <stdio.h>

#include "common/json_text.h"
#include "kernel/ask/ask_help.h"
#include "kernel/jupyter/json_check.h"
#include "kernel/jupyter/json_fields.h"
#include "kernel/kernel.h"
#include "kernel/output/output_reduce.h"
#include "kernel/place/claim.h"
#include "kernel/relay.h"
#include "kernel/request_content.h"

#define LOG_COMPONENT "execution"
#include "common/log.h"

#define STAGE_AFTER_MS     1000
#define INTERRUPT_AGAIN_MS 50

void
execution_init(struct execution *execution)
{
    execution->prepared = (struct buffer)BUFFER_INIT(LIMIT_ENVELOPE_BYTES);
    execution->parents = parent_headers_new();
}

void
execution_release(struct execution *execution)
{
    timer_cancel(&execution->timer);
    request_free(TAKE(execution->request));
    buffer_release(&execution->prepared);
    parent_headers_free(TAKE(execution->parents));
    free(TAKE(execution->notice));
}

static bool
is_shown(const struct execution *execution)
{
    return execution->request && request_is_cell(execution->request) &&
           !execution->is_silent;
}

/* --- the line that tells what a cell waits for --- */

static void
publish_for_cell(struct kernel *kernel, const char *type, const struct buffer *content)
{
    publish(&kernel->publisher,
            &(struct outgoing){.type = type,
                               .parent = request_header(kernel->execution.request),
                               .content = buffer_slice(content)});
}

static void
show_stage(struct kernel *kernel, const char *type, const char *stage)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);
    AUTO(mem) char *text = xasprintf("cellpod: %s \u2026", stage);

    AUTO(mem) char *id =
        xasprintf("cellpod-%s-%s", kernel->session.ident, kernel->execution.id);

    json_text_append(&content, json_pack("{s:{s:o}, s:{}, s:{s:s}}", "data",
                                         "text/plain", json_text_string(slice_of(text)),
                                         "metadata", "transient", "display_id", id));
    publish_for_cell(kernel, type, &content);
}

static void
hide_stage(struct kernel *kernel)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    if (!kernel->execution.is_stage_shown)
        return;
    kernel->execution.is_stage_shown = false;
    buffer_append_text(&content, "{\"wait\":false}");
    publish_for_cell(kernel, "clear_output", &content);
}

static void
on_timer(void *context)
{
    struct kernel *kernel = context;
    struct execution *execution = &kernel->execution;

    if (execution->is_sent) {
        sandbox_interrupt(kernel->sandbox, execution->id);
    } else if (is_shown(execution)) {
        execution->is_stage_shown = true;
        show_stage(kernel, "display_data", sandbox_stage(kernel->sandbox));
    }
}

static void
start_timer(struct kernel *kernel, int64_t ms)
{
    timer_set(&kernel->execution.timer, kernel->loop, ms, on_timer, kernel);
}

static void
show_notice(struct kernel *kernel)
{
    struct execution *execution = &kernel->execution;

    if (!execution->notice || !is_shown(execution))
        return;
    publish_stderr(&kernel->publisher, execution->notice,
                   request_header(execution->request));
    free(TAKE(execution->notice));
}

/* --- the end of a request --- */

static void
finish(struct kernel *kernel)
{
    if (kernel->execution.is_sent) /* a question's line of progress would clear it */
        show_notice(kernel);
    struct request *request = TAKE(kernel->execution.request);

    timer_cancel(&kernel->execution.timer);
    ask_end(&kernel->ask);
    input_end(&kernel->input);
    buffer_release(&kernel->execution.prepared);
    dispatch_finish(kernel, request);
}

/* Before the reply leaves: what the client sends in answer to it is not aborted. */
static void
abort_if_asked(struct kernel *kernel)
{
    const struct execution *execution = &kernel->execution;

    if (is_shown(execution) && execution->stops_on_error)
        shell_abort(kernel);
}

json_t *
execution_traceback(const struct failure *failure)
{
    AUTO(mem) char *line = xasprintf("%s: %s", failure->ename, failure->message);
    json_t *lines = json_array(), *above;
    size_t i;

    json_array_foreach (failure->above, i, above)
        json_array_append_new(lines, json_is_string(above) ? json_incref(above)
                                                           : json_string(""));
    json_array_append_new(lines, json_text_string(slice_of(line)));
    if (*failure->remedy)
        json_array_append_new(lines, json_text_string(slice_of(failure->remedy)));
    return lines;
}

static void
publish_failure(struct kernel *kernel, const struct failure *failure)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    json_text_append(&content,
                     json_pack("{s:o, s:o, s:o}", "ename",
                               json_text_string(slice_of(failure->ename)), "evalue",
                               json_text_string(slice_of(failure->message)),
                               "traceback", execution_traceback(failure)));
    publish_for_cell(kernel, "error", &content);
}

static void
fail(struct kernel *kernel, const struct failure *failure)
{
    hide_stage(kernel);
    if (request_is_cell(kernel->execution.request))
        publish_failure(kernel, failure);
    abort_if_asked(kernel);
    dispatch_reply_error(kernel, kernel->execution.request, failure);
    finish(kernel);
}

void
execution_fail(struct kernel *kernel, const char *ename, const char *message,
               const char *remedy)
{
    fail(kernel, &(struct failure){.ename = ename,
                                   .message = message,
                                   .remedy = remedy,
                                   .execution_count = kernel->execution.count});
}

/* exit() leaves this in the payload, unless it was told to keep the kernel. */
static bool
asks_to_exit(struct slice content)
{
    struct slice payload = json_field(content, "payload");

    if (!memmem(payload.data, payload.len, "ask_exit", 8))
        return false;
    json_auto_t *entries = json_loadb(payload.data, payload.len, 0, NULL);
    size_t i;
    json_t *entry;
    json_array_foreach (entries, i, entry) {
        const char *source = json_string_value(json_object_get(entry, "source"));
        if (source && strcmp(source, "ask_exit") == 0 &&
            !json_is_true(json_object_get(entry, "keepkernel")))
            return true;
    }
    return false;
}

static void
note_count(struct execution *execution, struct slice content)
{
    struct slice count = json_field(content, "execution_count");

    if (json_kind_of(count) == JSON_KIND_NUMBER)
        execution->count = strtoll(count.data, NULL, 10);
}

/* A page in the payload and the values of expressions are displays too. */
static struct slice
reduce_reply(struct kernel *kernel, struct slice content, struct buffer *reduced)
{
    AUTO(buffer) struct buffer notice = BUFFER_INIT(SIZE_MAX);

    output_reduce_reply(content, reduced, &notice);
    if (notice.len)
        publish_stderr(&kernel->publisher, notice.data,
                       request_header(kernel->execution.request));
    return buffer_slice(reduced);
}

void
execution_end(struct kernel *kernel, struct slice content, struct slice metadata)
{
    AUTO(buffer) struct buffer reduced = BUFFER_INIT(SIZE_MAX);

    if (provenance_reduces(&kernel->provenance))
        content = reduce_reply(kernel, content, &reduced);
    struct request *request = kernel->execution.request;
    bool is_cell = request_is_cell(request);
    bool exits = is_cell && asks_to_exit(content);

    if (is_cell)
        note_count(&kernel->execution, content);
    if (is_cell && slice_equals(json_field(content, "status"), SLICE("\"error\"")))
        abort_if_asked(kernel);
    dispatch_reply(kernel, request, content, metadata);
    finish(kernel);
    if (exits)
        shutdown_after_reply(kernel);
}

void
execution_tell_between_cells(struct kernel *kernel, const char *message)
{
    const struct execution *execution = &kernel->execution;
    struct slice cell = parent_headers_find(execution->parents, execution->last_cell);
    AUTO(mem) char *text = xasprintf("cellpod: %s\n" NAMES_ARE_GONE "\n", message);

    if (cell.len) /* else there were no names */
        publish_stderr(&kernel->publisher, text, cell);
}

/* --- sending --- */

/* Its content, and what the client sent with it, unless a step of ours has its own. */
struct posted {
    const char *type;
    struct slice content, metadata;
    const struct slice *buffers;
    size_t buffer_count;
};

static int
make_envelope(const struct execution *execution, const struct posted *posted,
              struct buffer *out, struct error *err)
{
    const struct wire_message *message = &execution->request->message;
    json_auto_t *line =
        json_pack("{s:s, s:s}", "id", execution->id, "type", posted->type);

    if (strlen(message->id) <= LIMIT_REQUEST_ID)
        json_object_set_new(line, "msg_id", json_string(message->id));
    if (posted->metadata.len > LIMIT_ENVELOPE_METADATA)
        return error_set(err, ERR_TOO_LARGE, "metadata over %d bytes",
                         LIMIT_ENVELOPE_METADATA);
    return envelope_append(out, line, posted->content, posted->metadata,
                           posted->buffers, posted->buffer_count, err);
}

static void
post(struct kernel *kernel, const struct posted *posted)
{
    AUTO(buffer) struct buffer envelope = BUFFER_INIT(LIMIT_ENVELOPE_BYTES);
    struct execution *execution = &kernel->execution;
    struct error err;

    if (make_envelope(execution, posted, &envelope, &err) < 0) {
        execution_fail(kernel, "RequestError", err.text, "");
        return;
    }
    execution->is_sent = true;
    sandbox_send(kernel->sandbox, execution->id, &envelope);
}

/* Tied to the request that runs now: sandboxd ignores it for any other. */
static void
interrupt_worker(struct kernel *kernel)
{
    struct execution *execution = &kernel->execution;

    if (!execution->is_accepted)
        execution->wants_interrupt = true; /* it must not overtake the request */
    else
        sandbox_interrupt(kernel->sandbox, execution->id);
}

/* --- for the cell of a question --- */

static const char *
send_step(void *context, const char *type, struct slice content, bool is_cell)
{
    struct kernel *kernel = context;
    struct execution *execution = &kernel->execution;

    timer_cancel(&kernel->execution.timer);
    execution->is_accepted = execution->wants_interrupt = false;
    parent_headers_add(execution->parents, is_cell, request_header(execution->request),
                       execution->id);
    post(kernel, &(struct posted){.type = type, .content = content});
    return execution->id;
}

static void
interrupt_step(void *context)
{
    interrupt_worker(context);
}

static void
show_held(void *context, const struct envelope *event)
{
    struct kernel *kernel = context;

    relay_output(kernel, event, request_header(kernel->execution.request));
}

static void
end_asking(void *context, struct slice content)
{
    execution_end(context, content, SLICE(""));
}

static void
fail_asking(void *context, const char *ename, const char *message, const char *remedy,
            const json_t *above)
{
    struct kernel *kernel = context;

    fail(kernel, &(struct failure){.ename = ename,
                                   .message = message,
                                   .remedy = remedy,
                                   .execution_count = kernel->execution.count,
                                   .above = above});
}

struct ask_host
execution_ask_host(struct kernel *kernel)
{
    return (struct ask_host){
        .context = kernel,
        .publisher = &kernel->publisher,
        .provenance = &kernel->provenance,
        .session = kernel->session.ident,
        .execution_count = &kernel->execution.count,
        .send = send_step,
        .interrupt_worker = interrupt_step,
        .show = show_held,
        .end = end_asking,
        .fail = fail_asking,
    };
}

static void
send_request(struct kernel *kernel)
{
    struct execution *execution = &kernel->execution;
    const struct wire_message *message = &execution->request->message;

    timer_cancel(&kernel->execution.timer);
    hide_stage(kernel);
    if (execution->is_ask) {
        ask_begin(&kernel->ask, request_header(execution->request),
                  request_content(execution->request), execution->last_cell);
        return;
    }
    show_notice(kernel);
    post(kernel,
         &(struct posted){
             .type = message->type,
             .content = execution->prepared.len ? buffer_slice(&execution->prepared)
                                                : message->parts[WIRE_CONTENT],
             .metadata = message->parts[WIRE_METADATA],
             .buffers = message->buffers,
             .buffer_count = message->buffer_count,
         });
}

void
execution_claim(struct kernel *kernel)
{
    struct error err;
    char *notice;
    bool shares_files = kernel->options->place.address.unix_path;
    json_auto_t *spec =
        claim_make(shares_files, kernel->options->sandbox, &notice, &err);

    provenance_configure(&kernel->provenance, kernel->options->sandbox);
    if (!spec) {
        log_error("claim reason=\"%s\"", err.text);
        if (kernel->execution.request && !kernel->execution.is_sent)
            execution_fail(kernel, "SandboxError", err.text, "");
        return;
    }
    if (!kernel->execution.notice)
        kernel->execution.notice = notice;
    else
        free(notice);
    sandbox_claim(kernel->sandbox, spec);
}

static void
set_up(struct execution *execution, struct request *request)
{
    struct slice content = request_content(request);

    execution->request = request;
    execution->is_sent = execution->is_accepted = execution->wants_interrupt = false;
    execution->is_stage_shown = false;
    execution->is_ask = request_is_cell(request) && ask_is_for(content);
    execution->is_silent = json_field_is_true(content, "silent", false);
    execution->stops_on_error = json_field_is_true(content, "stop_on_error", true);
    execution->allows_stdin = json_field_is_true(content, "allow_stdin", false);
    parent_headers_add(execution->parents, request_is_cell(request),
                       request_header(request), execution->id);
    if (request_is_cell(request))
        memcpy(execution->last_cell, execution->id, sizeof(execution->last_cell));
}

/* Widgets ask this of every new kernel: without a worker there are no comms. */
static bool
is_answered_here(const struct kernel *kernel, const struct request *request)
{
    return !sandbox_is_ready(kernel->sandbox) &&
           strcmp(request->message.type, "comm_info_request") == 0;
}

/* Completion and help for %%ask need no sandbox. */
static bool
answer_help(struct kernel *kernel, struct request *request)
{
    json_auto_t *reply =
        ask_help_reply(&kernel->ask, request->message.type, request_content(request));
    AUTO(mem) char *text = reply ? json_dumps(reply, JSON_COMPACT) : NULL;

    if (!text)
        return false;
    dispatch_reply(kernel, request, slice_of(text), SLICE(""));
    dispatch_finish(kernel, request);
    return true;
}

int
execution_start(struct kernel *kernel, struct request *request, struct error *err)
{
    struct execution *execution = &kernel->execution;
    bool is_ready = sandbox_is_ready(kernel->sandbox);
    bool is_cell = request_is_cell(request);

    if (answer_help(kernel, request))
        return 0;
    if (request_content_prepare(request->type, request_content(request),
                                &execution->prepared, err) < 0)
        return -1;
    if (is_answered_here(kernel, request)) {
        dispatch_reply(kernel, request, SLICE("{\"status\":\"ok\",\"comms\":{}}"),
                       SLICE(""));
        dispatch_finish(kernel, request);
        return 0;
    }
    if (!is_ready && !is_cell && !sandbox_is_coming(kernel->sandbox)) {
        buffer_clear(&execution->prepared);
        return error_set(err, ERR_UNAVAILABLE,
                         "there is no sandbox yet: run a cell first");
    }
    set_up(execution, request);
    if (is_ready) {
        send_request(kernel);
    } else {
        start_timer(kernel, STAGE_AFTER_MS);
        if (!sandbox_is_coming(kernel->sandbox))
            execution_claim(kernel);
    }
    return 0;
}

/* --- what the sandbox says --- */

static void
on_stage(void *arg, const char *stage)
{
    struct kernel *kernel = arg;

    if (kernel->execution.is_stage_shown)
        show_stage(kernel, "update_display_data", stage);
}

static void
on_ready(void *arg, const struct envelope *event)
{
    struct kernel *kernel = arg;
    char *version = json_check_object(event->content, &(struct error){0}) == 0
                        ? json_field_text(event->content, "python")
                        : NULL;

    if (version) {
        free(kernel->python_version);
        kernel->python_version = version;
    }
    kernel->execution.count = 0;
    if (kernel->execution.request && !kernel->execution.is_sent)
        send_request(kernel);
}

static void
on_event(void *arg, const struct envelope *event)
{
    relay_event(arg, event);
}

static void
on_lost(void *arg, const struct sandbox_loss *loss)
{
    struct kernel *kernel = arg;

    struct execution *execution = &kernel->execution;

    if (execution->request)
        execution_fail(kernel, "SandboxError", loss->message, loss->remedy);
    else
        execution_tell_between_cells(kernel, loss->message);
    provenance_fresh_worker(&kernel->provenance);
    execution->count = 0;
}

static bool
is_current(const struct execution *execution, const char *id)
{
    return execution->request && execution->is_sent && strcmp(execution->id, id) == 0;
}

static void
on_sent(void *arg, const char *id, const struct error *err)
{
    struct kernel *kernel = arg;
    struct execution *execution = &kernel->execution;

    if (!is_current(execution, id))
        return;
    if (err) {
        execution_fail(kernel, "SandboxError", err->text,
                       "The sandbox did not accept the request.");
        return;
    }
    execution->is_accepted = true;
    if (execution->wants_interrupt)
        sandbox_interrupt(kernel->sandbox, id);
}

/* Not delivered, though it is the current one: sandboxd has not begun it yet, a fresh
 * worker is on its way. The interrupt was meant for it all the same. */
static void
on_interrupted(void *arg, const char *id, bool delivered)
{
    struct kernel *kernel = arg;

    if (!delivered && is_current(&kernel->execution, id))
        start_timer(kernel, INTERRUPT_AGAIN_MS);
}

struct sandbox_owner
execution_sandbox_owner(struct kernel *kernel)
{
    return (struct sandbox_owner){on_stage, on_ready,       on_event, on_lost,
                                  on_sent,  on_interrupted, kernel};
}

/* --- interrupts --- */

void
execution_interrupt(struct kernel *kernel)
{
    struct execution *execution = &kernel->execution;

    if (!execution->request || ask_interrupt(&kernel->ask))
        return;
    if (execution->is_sent)
        interrupt_worker(kernel);
    else
        execution_fail(kernel, "KeyboardInterrupt",
                       "interrupted while waiting for the sandbox", "");
}

int
execution_handle_interrupt(struct kernel *kernel, struct request *request,
                           struct error *err UNUSED)
{
    dispatch_reply(kernel, request, SLICE("{\"status\":\"ok\"}"), SLICE(""));
    /* A manager that restarts a kernel interrupts it first, by a message that may reach
     * us instead. */
    if (!session_outlived(&kernel->session, request_header(request)))
        execution_interrupt(kernel);
    return 0;
}
