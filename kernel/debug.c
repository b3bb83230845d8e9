#include "kernel/debug.h"

#include "kernel/jupyter/json_scan.h"
#include "kernel/kernel.h"
#include "kernel/output/content_check.h"

#define LOG_COMPONENT "debug"
#include "common/log.h"

#define NOT_NOW                                                               \
    "the debugger is off while a question is worked on: ask again when it is" \
    " answered"
#define NOT_HERE                                                                 \
    "the debugger is off, because a model's code has run here and could change " \
    "what it shows (or `html` is `reduced`): restart the kernel to debug your own"

struct debug_ask {
    struct request *request; /* owned */
    char id[PARENT_ID_SIZE]; /* as the sandbox knows it */
    bool is_posted;
    bool ends; /* the debugger */
};

void
debug_init(struct debug *debug)
{
    STAILQ_INIT(&debug->waiting);
}

void
debug_release(struct debug *debug)
{
    struct request *request;

    while ((request = STAILQ_FIRST(&debug->waiting))) {
        STAILQ_REMOVE_HEAD(&debug->waiting, link);
        request_free(request);
    }
    if (debug->current)
        request_free(debug->current->request);
    free(TAKE(debug->current));
    free(TAKE(debug->header));
}

/* --- one after the other --- */

/* Whatever finishes a request while this runs leaves the next one to the loop here. */
static void
run(struct kernel *kernel)
{
    struct debug *debug = &kernel->debug;
    struct request *request;

    if (debug->is_running)
        return;
    debug->is_running = true;
    while (!debug->current && (request = STAILQ_FIRST(&debug->waiting))) {
        STAILQ_REMOVE_HEAD(&debug->waiting, link);
        debug->waiting_count--;
        dispatch(kernel, request);
    }
    debug->is_running = false;
}

void
debug_push(struct kernel *kernel, struct request *request)
{
    STAILQ_INSERT_TAIL(&kernel->debug.waiting, request, link);
    kernel->debug.waiting_count++;
    run(kernel);
}

static bool
is_current(const struct debug *debug, const char *id)
{
    return debug->current && debug->current->is_posted &&
           strcmp(debug->current->id, id) == 0;
}

static struct request *
take(struct debug *debug)
{
    AUTO(mem) struct debug_ask *ask = TAKE(debug->current);

    return ask->request;
}

static void
fail(struct kernel *kernel, const char *why)
{
    struct request *request = take(&kernel->debug);

    dispatch_reply_error(kernel, request,
                         &(struct failure){"DebugError", why, "", 0, NULL});
    dispatch_finish(kernel, request);
    run(kernel);
}

/* NULL: there may be one. */
static const char *
why_off(const struct kernel *kernel)
{
    if (kernel->ask.cell)
        return NOT_NOW;
    return provenance_reduces(&kernel->provenance) ? NOT_HERE : NULL;
}

static void
note_header(struct debug *debug, const struct request *request)
{
    struct slice header = request_header(request);

    free(debug->header);
    debug->header = xstrndup(header.data, header.len);
}

static void
post(struct kernel *kernel, struct debug_ask *ask)
{
    AUTO(buffer) struct buffer envelope = BUFFER_INIT(LIMIT_ENVELOPE_BYTES);
    const struct wire_message *message = &ask->request->message;
    json_auto_t *line = json_pack("{s:s, s:s}", "id", ask->id, "type", message->type);
    struct error err;

    ask->is_posted = true;
    if (envelope_append(&envelope, line, request_content(ask->request), SLICE(""), NULL,
                        0, &err) < 0) {
        fail(kernel, err.text);
        return;
    }
    sandbox_send(kernel->sandbox, ask->id, NULL, &envelope);
}

static bool
is_command(const struct request *request, struct slice quoted)
{
    return slice_equals(json_scan_field(request_content(request), "command"), quoted);
}

static struct debug_ask *
begin(struct kernel *kernel, struct request *request)
{
    struct debug_ask *ask = xcalloc(1, sizeof(*ask));

    ask->request = request;
    ask->ends = is_command(request, SLICE("\"disconnect\""));
    parent_headers_add(kernel->execution.parents, false, request_header(request),
                       ask->id);
    if (is_command(request, SLICE("\"initialize\"")))
        kernel->debug.is_wanted = true;
    note_header(&kernel->debug, request);
    return kernel->debug.current = ask;
}

static int
check(const struct kernel *kernel, const struct request *request, struct error *err)
{
    struct slice command = json_scan_field(request_content(request), "command");
    const char *off = why_off(kernel);

    if (!content_check_field(command, HOLDS_TEXT))
        return error_set(err, ERR_BAD_INPUT, "debug_request without `command'");
    if (kernel->debug.waiting_count >= LIMIT_ASIDES)
        return error_set(err, ERR_BUSY, "%d debug requests are already waiting",
                         LIMIT_ASIDES);
    return off ? error_set(err, ERR_UNAVAILABLE, "%s", off) : 0;
}

int
debug_handle(struct kernel *kernel, struct request *request, struct error *err)
{
    if (check(kernel, request, err) < 0)
        return -1;
    struct debug_ask *ask = begin(kernel, request);
    if (sandbox_is_ready(kernel->sandbox))
        post(kernel, ask);
    else if (!sandbox_is_coming(kernel->sandbox))
        execution_claim(kernel);
    return 0;
}

void
debug_send(struct kernel *kernel)
{
    struct debug_ask *ask = kernel->debug.current;

    if (ask && !ask->is_posted)
        post(kernel, ask);
}

void
debug_sent(struct kernel *kernel, const char *id, const struct error *err)
{
    if (err && is_current(&kernel->debug, id))
        fail(kernel, err->text);
}

bool
debug_refuse(struct kernel *kernel, const char *id, const char *why)
{
    if (!is_current(&kernel->debug, id))
        return false;
    fail(kernel, why);
    return true;
}

bool
debug_take_reply(struct kernel *kernel, const struct envelope *event)
{
    struct debug *debug = &kernel->debug;
    const char *off = why_off(kernel);

    if (!is_current(debug, event->parent) ||
        strcmp(event->type, messages_name(MESSAGE_DEBUG_REPLY)) != 0)
        return false;
    if (off) {
        fail(kernel, off);
        return true;
    }
    if (debug->current->ends)
        debug->is_wanted = false;
    struct request *request = take(debug);
    dispatch_reply(kernel, request, event->content, event->metadata);
    dispatch_finish(kernel, request);
    run(kernel);
    return true;
}

void
debug_take_event(struct kernel *kernel, const struct envelope *event,
                 struct slice parent UNUSED)
{
    struct debug *debug = &kernel->debug;
    bool is_end =
        slice_equals(json_scan_field(event->content, "event"), SLICE("\"terminated\""));

    if (!debug->is_wanted || (why_off(kernel) && !is_end)) {
        log_info("an event of a debugger that nobody has asked for");
        return;
    }
    if (is_end)
        debug->is_wanted = false;
    publish(&kernel->publisher, &(struct outgoing){.type = event->type,
                                                   .parent = slice_of(debug->header),
                                                   .content = event->content});
    if (outbox_is_full(kernel->publisher.outbox))
        sandbox_hold(kernel->sandbox, true);
}

void
debug_end(struct kernel *kernel, const char *why)
{
    kernel->debug.is_wanted = false;
    if (kernel->debug.current)
        fail(kernel, why);
}
