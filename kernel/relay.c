#include "kernel/relay.h"

#include "kernel/jupyter/json_scan.h"
#include "kernel/kernel.h"
#include "kernel/notice.h"

#define LOG_COMPONENT "relay"
#include "common/log.h"

typedef void event_fn(struct kernel *kernel, const struct envelope *event,
                      struct slice parent);

static bool
is_for_current(const struct kernel *kernel, const struct envelope *event)
{
    const struct execution *execution = &kernel->execution;

    return execution_is_posted(execution) && strcmp(event->parent, execution->id) == 0;
}

static bool
is_own(const struct kernel *kernel, const struct envelope *event)
{
    return parent_headers_find(kernel->execution.parents, event->parent).len;
}

/* The cell that the event belongs to: of this kernel, or of the one before. */
static struct slice
parent_of(const struct kernel *kernel, const struct envelope *event)
{
    struct slice own = parent_headers_find(kernel->execution.parents, event->parent);

    return own.len ? own : takeover_parent(&kernel->takeover);
}

/* --- outputs --- */

/* Widgets show what a client makes of their state, which no rule of ours reduces. */
static void
drop_comm(struct kernel *kernel, struct slice parent)
{
    if (!kernel->provenance.has_told)
        publish_stderr(&kernel->publisher,
                       "cellpod: widgets and other comms are blocked, because a "
                       "model's code may have made them; restart the kernel to get "
                       "your own back, or see docs/security.md\n",
                       parent);
    kernel->provenance.has_told = true;
}

static void
relay(struct kernel *kernel, const struct envelope *event, struct slice parent)
{
    if (provenance_drops(&kernel->provenance, event->type)) {
        drop_comm(kernel, parent);
        return;
    }
    if (outputs_comm_refuses(&kernel->outputs_comms, event)) {
        log_error("a comm of the kernel's own type=%.60s", event->type);
        return;
    }
    publish(&kernel->publisher,
            &(struct outgoing){.type = event->type,
                               .seq = event->seq,
                               .earlier = is_own(kernel, event) ? NULL : event->parent,
                               .parent = parent,
                               .metadata = event->metadata,
                               .content = event->content,
                               .buffers = event->buffers,
                               .buffer_count = event->buffer_count});
    if (outbox_is_full(kernel->publisher.outbox))
        sandbox_hold(kernel->sandbox, true);
}

static json_t *
load_field(struct slice object, const char *name)
{
    struct slice value = json_scan_field(object, name);

    return json_loadb(value.data, value.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

/* A cell that runs is announced to all clients, with its own code and no other. */
static bool
is_own_code(const struct kernel *kernel, const struct envelope *event)
{
    const struct request *request = is_for_current(kernel, event)
                                        ? kernel->execution.request
                                        : beside_find(kernel, event->parent);

    if (!request || !request_is_cell(request))
        return false;
    json_auto_t *own = load_field(request_content(request), "code");
    json_auto_t *said = load_field(event->content, "code");
    return json_equal(own, said);
}

static void
relay_execute_input(struct kernel *kernel, const struct envelope *event,
                    struct slice parent)
{
    struct slice count = json_scan_field(event->content, "execution_count");

    if (takeover_is_for(&kernel->takeover, event)) /* it has begun long ago */
        return;
    if (!is_own_code(kernel, event)) {
        log_error("execute_input of another cell parent=%.60s", event->parent);
        return;
    }
    kernel->execution.count = strtoll(count.data, NULL, 10); /* `}` or `,` follows */
    relay(kernel, event, parent);
}

/* --- the end of a request --- */

/* Otherwise a request whose reply cannot be relayed would never end. */
static void
refuse_reply(struct kernel *kernel, const struct envelope *event, const char *why)
{
    AUTO(mem) char *message =
        xasprintf("the sandbox sent a `%.60s' %s", event->type, why);

    log_error("%s", message);
    execution_fail(kernel, "SandboxError", message, "");
}

static bool
take_awaited(struct kernel *kernel, const struct envelope *event)
{
    const struct message_type *type = kernel->execution.request->type;

    if (kernel->ask.cell)
        return ask_take_reply(&kernel->ask, event);
    if (kernel->execution.is_outputs)
        return outputs_magic_take_reply(kernel, event);
    if (strcmp(event->type, messages_name(type->reply)) != 0)
        return false;
    execution_end(kernel, event->content, event->metadata);
    return true;
}

static void
take_reply(struct kernel *kernel, const struct envelope *event,
           struct slice parent UNUSED)
{
    if (debug_take_reply(kernel, event) || beside_take_reply(kernel, event))
        return;
    if (takeover_is_for(&kernel->takeover, event))
        takeover_end(kernel);
    else if (!is_for_current(kernel, event))
        log_error("reply without a request type=%s parent=%.60s", event->type,
                  event->parent);
    else if (!take_awaited(kernel, event))
        refuse_reply(kernel, event, "that nothing waits for");
}

static void
take_worker_exit(struct kernel *kernel, const struct envelope *event,
                 struct slice parent UNUSED)
{
    AUTO(mem) char *given = json_scan_text(event->content, "message");
    AUTO(mem) char *gone = json_scan_text(event->content, "gone");
    const char *message = given ? given : "the worker ended";
    AUTO(mem) char *remedy =
        gone ? xasprintf("%s The next cell runs in a fresh worker.", gone)
             : xstrdup(NAMES_ARE_GONE);

    log_info("worker exited parent=%.60s", event->parent);
    /* A question is about variables that are gone, also while a model thinks. */
    if (is_for_current(kernel, event) || kernel->ask.cell)
        execution_fail(kernel, "WorkerDied", message, remedy);
    else
        notice_tell_of_loss(kernel, message);
    debug_end(kernel, message);
    kernel->execution.count = 0;
    provenance_fresh_worker(&kernel->provenance);
    if (takeover_is_for(&kernel->takeover, event))
        takeover_end(kernel);
}

/* --- others --- */

static void
take_input_request(struct kernel *kernel, const struct envelope *event,
                   struct slice parent UNUSED)
{
    if (takeover_is_for(&kernel->takeover, event))
        takeover_ask(kernel, event);
    else if (is_for_current(kernel, event) && kernel->execution.allows_stdin)
        input_ask(&kernel->input, kernel->execution.request, event);
    else
        log_error("input without a request parent=%.60s", event->parent);
}

static void
show_notice(struct kernel *kernel, const struct envelope *event, struct slice parent)
{
    AUTO(mem) char *message = json_scan_text(event->content, "message");
    AUTO(mem) char *line = message ? xasprintf("cellpod: %s\n", message) : NULL;

    if (line && parent.len)
        publish_stderr(&kernel->publisher, line, parent);
    else if (line)
        notice_tell(kernel, line);
}

static void
ignore(struct kernel *kernel UNUSED, const struct envelope *event,
       struct slice parent UNUSED)
{
    log_debug("event type=%s", event->type);
}

/* NULL: not a message that a sandbox may send to the kernel. */
static event_fn *
handler_of(enum message_id id)
{
    switch (id) {
    case MESSAGE_STREAM:
    case MESSAGE_ERROR:
    case MESSAGE_CLEAR_OUTPUT:
    case MESSAGE_COMM_OPEN:
    case MESSAGE_COMM_MSG:
    case MESSAGE_COMM_CLOSE:
    case MESSAGE_DISPLAY_DATA:
    case MESSAGE_UPDATE_DISPLAY_DATA:
    case MESSAGE_EXECUTE_RESULT:
        return relay;
    case MESSAGE_EXECUTE_INPUT:
        return relay_execute_input;
    case MESSAGE_INPUT_REQUEST:
        return take_input_request;
    case MESSAGE_DEBUG_EVENT:
        return debug_take_event;
    case MESSAGE_NOTICE:
        return show_notice;
    case MESSAGE_REQUEST_LOST:
        return beside_take_loss;
    case MESSAGE_WORKER_EXITED:
        return take_worker_exit;
    case MESSAGE_WORKER_STARTED:
        return ignore;
    case MESSAGE_SANDBOX_READY: /* kernel/client/sandbox.c */
    case MESSAGE_SANDBOX_FAILED:
    case MESSAGE_SANDBOX_ENDED:
    case MESSAGE_NONE:
        return NULL;
#define KIND_REPLY(ID) case MESSAGE_##ID:
#include "common/messages.def"
        return take_reply;
#define KIND_OUTPUT(ID) /* above */
#define KIND_COMM(ID)
#define KIND_QUESTION(ID)
#define KIND_EVENT(ID)
#define KIND_REPLY(ID)
#define OTHERS(ID) case MESSAGE_##ID:
#include "common/messages.def"
        return NULL;
    }
    return NULL;
}

static bool
is_reply(const char *type)
{
    size_t len = strlen(type);

    return len > 6 && strcmp(type + len - 6, "_reply") == 0;
}

static void
refuse_unknown(struct kernel *kernel, const struct envelope *event)
{
    log_error("unknown event type=%.60s", event->type);
    if (is_reply(event->type) && is_for_current(kernel, event))
        refuse_reply(kernel, event, "that this kernel does not know");
}

/* A refused output is told to the user; a refused reply must not leave the cell open.
 */
static void
refuse(struct kernel *kernel, const struct message_type *type,
       const struct envelope *event, struct slice parent, const struct error *err)
{
    log_error("refused type=%.60s reason=\"%s\"", event->type, err->text);
    if (type->kind == MESSAGE_IS_REPLY && is_for_current(kernel, event)) {
        execution_fail(kernel, "SandboxError", err->text,
                       "The worker sent a reply that clients cannot read.");
        return;
    }
    if (type->kind == MESSAGE_IS_REPLY &&
        (debug_refuse(kernel, event->parent, err->text) ||
         beside_refuse(kernel, event->parent, err->text)))
        return;
    AUTO(mem) char *line =
        xasprintf("cellpod: a message of the cell is not shown: %s\n", err->text);
    publish_stderr(&kernel->publisher, line, parent);
}

static void
take_output(struct kernel *kernel, const struct envelope *event, struct slice parent)
{
    if (!ask_attempt_takes_output(&kernel->ask, event))
        relay_output(kernel, event, parent);
}

/* Behind its output, also where that is held back. */
static void
take_complaint(struct kernel *kernel, const struct envelope *event,
               const struct buffer *complaint, struct slice parent)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);
    struct envelope line = {.type = "stream", .parent = event->parent};

    buffer_append_text(&content, "{\"name\":\"stderr\",\"text\":");
    buffer_append_json_string(&content, buffer_slice(complaint));
    buffer_append_text(&content, "}");
    line.content = buffer_slice(&content);
    take_output(kernel, &line, parent);
}

/* What was found is believed from here on. */
static void
take_inspected(struct kernel *kernel, const struct envelope *event,
               const struct inspection_order *order, const struct inspection *found)
{
    struct slice parent = parent_of(kernel, event);
    struct envelope taken = *event; /* borrows all of it */

    kernel->execution.image_budget = found->image_budget;
    if (found->is_refused) {
        refuse(kernel, order->type, event, parent, &found->why);
        return;
    }
    if (found->is_rewritten)
        taken.content = buffer_slice(&found->content);
    if (found->is_metadata_rewritten)
        taken.metadata = buffer_slice(&found->metadata);
    if (messages_is_output(order->type))
        take_output(kernel, &taken, parent);
    if (found->complaint.len)
        take_complaint(kernel, event, &found->complaint, parent);
    if (!messages_is_output(order->type))
        handler_of(order->type->id)(kernel, &taken, parent);
}

static void
inspect_here(struct kernel *kernel, const struct envelope *event,
             const struct inspection_order *order)
{
    AUTO(inspection) struct inspection found;

    inspection_init(&found);
    inspection_run(order, &found);
    take_inspected(kernel, event, order, &found);
}

/* Nothing is read of the sandbox until this one is done; only another sandbox, after
 * this one was lost, may have something to say before. */
static void
inspect_beside(struct kernel *kernel, const struct envelope *event,
               const struct inspection_order *order)
{
    relay_inspected(kernel);
    inspector_begin(&kernel->inspector, inspector_job_new(event, order));
    sandbox_hold(kernel->sandbox, true);
}

void
relay_inspected(struct kernel *kernel)
{
    if (!inspector_is_busy(&kernel->inspector))
        return;
    AUTO(inspector_job) struct inspector_job *job = inspector_take(&kernel->inspector);
    take_inspected(kernel, &job->event, &job->order, &job->result);
    relay_go_on(kernel);
}

void
relay_go_on(struct kernel *kernel)
{
    if (!inspector_is_busy(&kernel->inspector) &&
        !outbox_is_full(kernel->publisher.outbox))
        sandbox_hold(kernel->sandbox, false);
}

static void
inspect(struct kernel *kernel, const struct message_type *type,
        const struct envelope *event)
{
    const struct inspection_order order = {
        .type = type,
        .content = event->content,
        .metadata = event->metadata,
        .reduces = provenance_reduces(&kernel->provenance),
        .image_budget = kernel->execution.image_budget,
    };

    if (inspection_is_brief(&order) && !inspector_is_busy(&kernel->inspector))
        inspect_here(kernel, event, &order);
    else
        inspect_beside(kernel, event, &order);
}

static void
refuse_unread(struct kernel *kernel, const struct message_type *type,
              const struct envelope *event)
{
    struct error err;

    error_format(&err, ERR_TOO_LARGE, "it has %zu MiB, at most %d are shown",
                 event->unread >> 20, LIMIT_OUTPUT_BYTES >> 20);
    refuse(kernel, type, event, parent_of(kernel, event), &err);
}

void
relay_event(struct kernel *kernel, const struct envelope *event)
{
    const struct message_type *type = messages_find(event->type);
    event_fn *handler = type ? handler_of(type->id) : NULL;

    if (!handler)
        refuse_unknown(kernel, event);
    else if (event->unread)
        refuse_unread(kernel, type, event);
    else if (event->content.len || handler != ignore)
        inspect(kernel, type, event);
}

void
relay_output(struct kernel *kernel, const struct envelope *event, struct slice parent)
{
    const struct message_type *type = messages_find(event->type);

    if (type && messages_is_output(type))
        handler_of(type->id)(kernel, event, parent);
}
