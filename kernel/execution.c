#include "kernel/execution.h"

#include "kernel/ask/ask_help.h"
#include "kernel/content/request_content.h"
#include "kernel/jupyter/json_scan.h"
#include "kernel/kernel.h"
#include "kernel/notice.h"
#include "kernel/place/claim.h"
#include "kernel/place/keep_choice.h"
#include "kernel/place/workspace_choice.h"

#define LOG_COMPONENT "execution"
#include "common/log.h"

void
execution_init(struct execution *execution)
{
    execution->prepared = (struct buffer)BUFFER_INIT(LIMIT_ENVELOPE_BYTES);
    execution->parents = parent_headers_new();
    execution->image_budget = IMAGE_BUDGET;
}

void
execution_release(struct execution *execution)
{
    timer_cancel(&execution->stage_line.timer);
    timer_cancel(&execution->interrupt.timer);
    request_free(TAKE(execution->request));
    buffer_release(&execution->prepared);
    parent_headers_free(TAKE(execution->parents));
    free(TAKE(execution->notice));
}

void
execution_enter(struct execution *execution, enum execution_state state)
{
    execution_state_enter(&execution->state, state);
}

bool
execution_is_posted(const struct execution *execution)
{
    return execution_state_is_posted(execution->state);
}

bool
execution_is_shown(const struct execution *execution)
{
    return execution->request && request_is_cell(execution->request) &&
           !execution->is_silent;
}

void
execution_publish(struct kernel *kernel, enum message_id type,
                  const struct buffer *content)
{
    publish(&kernel->publisher,
            &(struct outgoing){.type = messages_name(type),
                               .parent = request_header(kernel->execution.request),
                               .content = buffer_slice(content)});
}

/* --- the end of a request --- */

/* Of files that a model's code may have made, by this cell or before it. */
static void
look_at_folder(struct kernel *kernel)
{
    const struct execution *execution = &kernel->execution;

    if (!execution->request || !request_is_cell(execution->request))
        return;
    AUTO(mem) char *news = provenance_look(&kernel->provenance);
    if (news)
        publish_stderr(&kernel->publisher, news, request_header(execution->request));
}

static void
finish(struct kernel *kernel)
{
    struct execution *execution = &kernel->execution;

    stage_line_end(kernel);
    sandbox_watch(kernel->sandbox, false);
    interrupt_forget(kernel);
    look_at_folder(kernel);
    /* Not before a question's line of progress, which would clear it. */
    if (execution_is_posted(execution))
        notice_show(kernel);
    carrying_end(&kernel->carrying);
    struct request *request = TAKE(execution->request);
    execution_enter(execution, EXECUTION_IDLE);
    ask_end(&kernel->ask);
    input_end(&kernel->input);
    buffer_release(&execution->prepared);
    log_info("ends");
    log_set_trace(NULL);
    dispatch_finish(kernel, request);
}

/* Before the reply leaves: what the client sends in answer to it is not aborted. */
static void
abort_if_asked(struct kernel *kernel)
{
    const struct execution *execution = &kernel->execution;

    if (execution_is_shown(execution) && execution->stops_on_error)
        shell_abort(kernel);
}

static void
publish_failure(struct kernel *kernel, const struct failure *failure)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&content, "{");
    failure_append(&content, failure);
    buffer_append_text(&content, "}");
    execution_publish(kernel, MESSAGE_ERROR, &content);
}

void
execution_fail_with(struct kernel *kernel, const struct failure *failure)
{
    stage_line_end(kernel);
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
    execution_fail_with(kernel,
                        &(struct failure){.ename = ename,
                                          .message = message,
                                          .remedy = remedy,
                                          .execution_count = kernel->execution.count});
}

/* exit() puts this into the payload, unless it was called to keep the kernel. */
bool
execution_asks_to_exit(struct slice content)
{
    struct slice payload = json_scan_field(content, "payload");

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
    struct slice count = json_scan_field(content, "execution_count");

    if (json_scan_kind(count) == JSON_KIND_NUMBER)
        execution->count = strtoll(count.data, NULL, 10);
}

void
execution_end(struct kernel *kernel, struct slice content, struct slice metadata)
{
    struct request *request = kernel->execution.request;
    bool is_cell = request_is_cell(request);
    bool exits = is_cell && execution_asks_to_exit(content);

    if (carrying_is_after(kernel, content, metadata))
        return;
    if (is_cell)
        note_count(&kernel->execution, content);
    if (is_cell && slice_equals(json_scan_field(content, "status"), SLICE("\"error\"")))
        abort_if_asked(kernel);
    dispatch_reply(kernel, request, content, metadata);
    finish(kernel);
    if (exits)
        shutdown_after_reply(kernel);
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
    execution_enter(execution, EXECUTION_POSTING);
    outputs_name(kernel, execution->request, execution->id);
    sandbox_send(kernel->sandbox, execution->id, &execution->trace, &envelope);
    sandbox_watch(kernel->sandbox, true);
}

const char *
execution_post_step(struct kernel *kernel, const char *type, struct slice content,
                    bool is_cell)
{
    struct execution *execution = &kernel->execution;

    interrupt_forget(kernel);
    parent_headers_add(execution->parents, is_cell, request_header(execution->request),
                       execution->id);
    post(kernel, &(struct posted){.type = type, .content = content});
    return execution->id;
}

/* What a model's code does may be undone: nobody else's work with it. */
static bool
waits_for_subshells(const struct kernel *kernel)
{
    return kernel->execution.is_ask && beside_is_any(&kernel->besides);
}

void
execution_go_on(struct kernel *kernel)
{
    const struct execution *execution = &kernel->execution;

    if (execution->request && execution->is_ask && !execution_is_posted(execution) &&
        !kernel->ask.cell && sandbox_is_ready(kernel->sandbox))
        execution_send(kernel);
}

void
execution_send(struct kernel *kernel)
{
    struct execution *execution = &kernel->execution;
    const struct wire_message *message = &execution->request->message;

    if (waits_for_subshells(kernel) || carrying_is_before(kernel))
        return;
    stage_line_end(kernel);
    look_at_folder(kernel);
    if (execution->is_ask) {
        ask_begin(&kernel->ask, request_header(execution->request),
                  request_content(execution->request), execution->last_cell);
        return;
    }
    notice_show(kernel);
    if (execution->is_outputs) {
        outputs_magic_begin(kernel);
        return;
    }
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

static bool
shares_folder(const struct kernel *kernel)
{
    const struct place_spec *place = &kernel->options->place;

    return place->address.unix_path || place->type == &place_runsc;
}

void
execution_claim(struct kernel *kernel)
{
    struct error err;
    char *notice;
    bool shares_files = kernel->options->place.address.unix_path;
    json_auto_t *spec =
        claim_make(shares_files, kernel->options->sandbox, &notice, &err);

    AUTO(mem) char *untold = NULL;
    AUTO(mem) char *folder =
        shares_folder(kernel) ? workspace_choice_make(&untold) : NULL;
    if (spec &&
        kernel->options->place.type == &place_runsc) /* which mounts it itself */
        notice = TAKE(untold);
    carrying_configure(kernel);
    provenance_configure(&kernel->provenance, kernel->options->sandbox,
                         folder ? folder : carrying_folder(kernel));
    if (!spec) {
        log_error("claim reason=\"%s\"", err.text);
        if (kernel->execution.request && !execution_is_posted(&kernel->execution))
            execution_fail(kernel, "SandboxError", err.text, "");
        return;
    }
    if (!kernel->execution.notice)
        kernel->execution.notice = notice;
    else
        free(notice);
    kernel->takeover.is_keeping =
        (shares_files || place_can_find_again(&kernel->options->place)) &&
        keep_choice_add(spec, kernel->options->sandbox, kernel->takeover.is_refreshed);
    sandbox_claim(kernel->sandbox, spec);
}

void
execution_name(struct execution *execution)
{
    struct request *request = execution->request;

    parent_headers_add(execution->parents, request_is_cell(request),
                       request_header(request), execution->id);
    if (request_is_cell(request))
        memcpy(execution->last_cell, execution->id, sizeof(execution->last_cell));
}

/* What is logged until the end belongs to it. A sandboxd on this machine is not told:
 * its log is beside ours. */
static void
begin_trace(struct execution *execution)
{
    trace_begin(&execution->trace);
    log_set_trace(execution->trace.text);
    log_info("begins type=%s", execution->request->message.type);
}

static void
set_up(struct execution *execution, struct request *request)
{
    struct slice content = request_content(request);

    execution->request = request;
    execution->image_budget = IMAGE_BUDGET;
    execution_enter(execution, EXECUTION_WAITING);
    begin_trace(execution);
    execution->is_ask = request_is_cell(request) && ask_is_for(content);
    execution->is_outputs = outputs_magic_is_for(request);
    execution->is_carried = execution->is_brought = false;
    execution->is_silent = json_scan_is_true(content, "silent", false);
    execution->stops_on_error = json_scan_is_true(content, "stop_on_error", true);
    execution->allows_stdin = json_scan_is_true(content, "allow_stdin", false);
    execution_name(execution);
}

/* Widgets ask this of every new kernel: without a worker there are no comms. */
static bool
is_answered_here(const struct kernel *kernel, const struct request *request)
{
    return (!sandbox_is_ready(kernel->sandbox) ||
            takeover_is_pending(&kernel->takeover)) &&
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
    if (is_ready && takeover_refuses(kernel, request, err)) {
        buffer_clear(&execution->prepared);
        return -1;
    }
    set_up(execution, request);
    if (takeover_is_to_refresh(request)) {
        takeover_refresh(kernel);
    } else if (is_ready) {
        takeover_send(kernel);
    } else {
        stage_line_begin(kernel);
        if (!sandbox_is_coming(kernel->sandbox))
            execution_claim(kernel);
    }
    return 0;
}
