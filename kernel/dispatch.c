#include "kernel/dispatch.h"

#include "common/json_text.h"
#include "kernel/connect.h"
#include "kernel/kernel.h"
#include "kernel/kernel_info.h"

#define LOG_COMPONENT "dispatch"
#include "common/log.h"

struct handling {
    handler_fn *handler;
    enum finishes finishes;
};

static struct handling
handling_of(enum message_id id)
{
    switch (id) {
    case MESSAGE_KERNEL_INFO_REQUEST:
        return (struct handling){kernel_info_handle, FINISHES_NOW};
    case MESSAGE_CONNECT_REQUEST:
        return (struct handling){connect_handle, FINISHES_NOW};
    case MESSAGE_INTERRUPT_REQUEST:
        return (struct handling){interrupt_handle, FINISHES_NOW};
    case MESSAGE_SHUTDOWN_REQUEST:
        return (struct handling){shutdown_handle, FINISHES_NOW};
    case MESSAGE_USAGE_REQUEST:
        return (struct handling){usage_handle, FINISHES_LATER};
    case MESSAGE_NONE:
#define KIND_QUERY(ID) /* above */
#define OTHERS(ID)     case MESSAGE_##ID:
#include "common/messages.def"
        break;
    }
    return (struct handling){execution_start, FINISHES_LATER};
}

const struct message_type *
dispatch_find(const char *type, enum channel channel)
{
    unsigned wanted = channel == CHANNEL_CONTROL ? ON_CONTROL : ON_SHELL;
    const struct message_type *found = messages_find(type);

    return found && found->senders & BY_CLIENT && found->channels & wanted ? found
                                                                           : NULL;
}

/* NULL for comms: they have none that clients see. */
static const struct message_type *
reply_of(const struct request *request)
{
    const struct message_type *reply =
        request->type ? messages_row(request->type->reply) : NULL;

    return reply && reply->channels & ON_SAME ? reply : NULL;
}

void
dispatch_reply(struct kernel *kernel, struct request *request, struct slice content,
               struct slice metadata)
{
    const struct message_type *reply = reply_of(request);

    if (request->is_replied || !reply)
        return;
    request->is_replied = true;
    session_send(&kernel->session, request->socket, request->frames.slices,
                 request->message.ident_count,
                 &(struct outgoing){.type = reply->type,
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
    log_info("failed type=%s reason=\"%s\"", request->message.type, err->text);
    dispatch_reply_error(kernel, request,
                         &(struct failure){"RequestError", err->text, "",
                                           kernel->execution.count, NULL});
    dispatch_finish(kernel, request);
}

void
dispatch(struct kernel *kernel, struct request *request)
{
    const struct message_type *type = request->type;
    struct handling handling = handling_of(type ? type->id : MESSAGE_NONE);
    struct error err;

    publish_admit(&kernel->publisher);
    publish_status(&kernel->publisher, "busy", request_header(request));
    if (!type) {
        log_info("unknown type=%.60s", request->message.type);
        dispatch_finish(kernel, request);
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
    shell_finished(kernel, request);
    request_free(request);
}
