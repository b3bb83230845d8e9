#include "kernel/dispatch.h"

#include "common/json_text.h"
#include "kernel/answers.h"
#include "kernel/kernel.h"

#define LOG_COMPONENT "dispatch"
#include "common/log.h"

#define REQUEST_SUFFIX "_request"

enum {
    MAX_UNKNOWN_NAME = 64,
    REPLY_NAME_SIZE = MAX_UNKNOWN_NAME + 1,
};

struct handling {
    handler_fn *handler;
    enum finishes finishes;
};

static struct handling
handling_of(enum message_id id)
{
    switch (id) {
    case MESSAGE_KERNEL_INFO_REQUEST:
        return (struct handling){answers_kernel_info, FINISHES_NOW};
    case MESSAGE_CONNECT_REQUEST:
        return (struct handling){answers_connect, FINISHES_NOW};
    case MESSAGE_INTERRUPT_REQUEST:
        return (struct handling){interrupt_handle, FINISHES_NOW};
    case MESSAGE_SHUTDOWN_REQUEST:
        return (struct handling){shutdown_handle, FINISHES_NOW};
    case MESSAGE_USAGE_REQUEST:
        return (struct handling){answers_usage, FINISHES_LATER};
    case MESSAGE_CREATE_SUBSHELL_REQUEST:
        return (struct handling){subshell_handle_create, FINISHES_LATER};
    case MESSAGE_DELETE_SUBSHELL_REQUEST:
        return (struct handling){subshell_handle_delete, FINISHES_LATER};
    case MESSAGE_LIST_SUBSHELL_REQUEST:
        return (struct handling){subshell_handle_list, FINISHES_NOW};
    case MESSAGE_DEBUG_REQUEST:
        return (struct handling){debug_handle, FINISHES_LATER};
    case MESSAGE_NONE:
#define KIND_QUERY(ID) /* above */
#define KIND_ASIDE(ID)
#define OTHERS(ID) case MESSAGE_##ID:
#include "common/messages.def"
        break;
    }
    return (struct handling){execution_start, FINISHES_LATER};
}

static struct handling
handling_for(const struct request *request)
{
    const struct message_type *type = request->type;

    if (request->is_for_journal)
        return (struct handling){answers_outputs_comm, FINISHES_NOW};
    if (request->is_beside && type && messages_is_for_worker(type))
        return (struct handling){beside_handle, FINISHES_LATER};
    return handling_of(type ? type->id : MESSAGE_NONE);
}

const struct message_type *
dispatch_find(const char *type, enum channel channel)
{
    unsigned wanted = channel == CHANNEL_CONTROL ? ON_CONTROL : ON_SHELL;
    const struct message_type *found = messages_find(type);

    return found && found->senders & BY_CLIENT && found->channels & wanted ? found
                                                                           : NULL;
}

/* Type of the reply to a type that has no row: as the protocol names them all. Only
 * what needs no escaping gets one. */
static bool
name_reply(const char *type, char out[REPLY_NAME_SIZE])
{
    const char *end = type + strspn(type, "abcdefghijklmnopqrstuvwxyz_");
    size_t stem = strlen(type) - strlen(REQUEST_SUFFIX);

    if (*end || end - type < (ptrdiff_t)sizeof(REQUEST_SUFFIX) ||
        end - type > MAX_UNKNOWN_NAME || strcmp(type + stem, REQUEST_SUFFIX) != 0)
        return false;
    snprintf(out, REPLY_NAME_SIZE, "%.*s_reply", (int)stem, type);
    return true;
}

/* False for comms, and what is not a request: they have no reply that clients see. */
static bool
find_reply(const struct request *request, char out[REPLY_NAME_SIZE])
{
    if (!request->type)
        return name_reply(request->message.type, out);
    const struct message_type *reply = messages_row(request->type->reply);
    if (!reply || !(reply->channels & ON_SAME))
        return false;
    snprintf(out, REPLY_NAME_SIZE, "%s", reply->type);
    return true;
}

void
dispatch_reply(struct kernel *kernel, struct request *request, struct slice content,
               struct slice metadata)
{
    char type[REPLY_NAME_SIZE];

    if (request->is_replied || !find_reply(request, type))
        return;
    request->is_replied = true;
    AUTO(buffer) struct buffer completed = BUFFER_INIT(SIZE_MAX);
    if (request->type && request->type->id == MESSAGE_COMM_INFO_REQUEST &&
        outputs_comm_add_info(&kernel->outputs_comms, request, content, &completed))
        content = buffer_slice(&completed);
    session_send(&kernel->session, request->socket, request->frames.slices,
                 request->message.ident_count,
                 &(struct outgoing){.type = type,
                                    .parent = request_header(request),
                                    .metadata = metadata,
                                    .content = content},
                 NULL);
}

void
dispatch_reply_error(struct kernel *kernel, struct request *request,
                     const struct failure *failure)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    if (strcmp(request->message.type, "is_complete_request") == 0) {
        dispatch_reply(kernel, request, SLICE("{\"status\":\"unknown\"}"), SLICE(""));
        return;
    }
    buffer_append_text(&content, "{\"status\":\"error\",");
    failure_append(&content, failure);
    if (request_is_cell(request))
        buffer_printf(&content,
                      ",\"execution_count\":%lld,\"user_expressions\":{},"
                      "\"payload\":[]",
                      failure->execution_count);
    buffer_append_text(&content, "}");
    dispatch_reply(kernel, request, buffer_slice(&content), SLICE(""));
}

static void
fail(struct kernel *kernel, struct request *request, const struct error *err)
{
    log_info("failed type=%.64s reason=\"%s\"", request->message.type, err->text);
    dispatch_reply_error(kernel, request,
                         &(struct failure){"RequestError", err->text, "",
                                           kernel->execution.count, NULL});
    dispatch_finish(kernel, request);
}

void
dispatch(struct kernel *kernel, struct request *request)
{
    const struct message_type *type = request->type;
    struct handling handling = handling_for(request);
    struct error err;

    publish_admit(&kernel->publisher);
    outputs_begin(kernel, request);
    publish_status(&kernel->publisher, "busy", request_header(request));
    if (!type) {
        (void)error_set(&err, ERR_BAD_INPUT,
                        "cellpod does not answer %.64s on this channel",
                        request->message.type);
        fail(kernel, request, &err);
    } else if (request->is_aborted) {
        dispatch_reply(kernel, request, SLICE("{\"status\":\"aborted\"}"), SLICE(""));
        dispatch_finish(kernel, request);
    } else if (request->is_hurried) {
        (void)error_set(&err, ERR_UNAVAILABLE, "the sandbox is still starting");
        fail(kernel, request, &err);
    } else if (handling.handler(kernel, request, &err) < 0) {
        fail(kernel, request, &err);
    } else if (handling.finishes == FINISHES_NOW) {
        dispatch_finish(kernel, request);
    }
}

void
dispatch_finish(struct kernel *kernel, struct request *request)
{
    publish_status(&kernel->publisher, "idle", request_header(request));
    if (request->subshell)
        subshell_finished(kernel, request);
    else
        shell_finished(kernel, request);
    request_free(request);
    subshell_run_all(kernel);
    idleness_begin(kernel);
}
