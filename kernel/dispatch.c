#include "kernel/dispatch.h"

#include "common/json_text.h"
#include "kernel/connect.h"
#include "kernel/kernel.h"
#include "kernel/kernel_info.h"

#define LOG_COMPONENT "dispatch"
#include "common/log.h"

#define SHELL   ON_SHELL
#define CONTROL ON_CONTROL
#define BOTH    (ON_SHELL | ON_CONTROL)
#define NOW     FINISHES_NOW
#define LATER   FINISHES_LATER

static const struct request_type request_types[] = {
    {"execute_request",     "execute_reply",     BOTH,    execution_start,            LATER},
    {"complete_request",    "complete_reply",    BOTH,    execution_start,            LATER},
    {"inspect_request",     "inspect_reply",     BOTH,    execution_start,            LATER},
    {"is_complete_request", "is_complete_reply", BOTH,    execution_start,            LATER},
    {"history_request",     "history_reply",     BOTH,    execution_start,            LATER},
    {"comm_info_request",   "comm_info_reply",   BOTH,    execution_start,            LATER},
    {"comm_open",           NULL,                SHELL,   execution_start,            LATER},
    {"comm_msg",            NULL,                SHELL,   execution_start,            LATER},
    {"comm_close",          NULL,                SHELL,   execution_start,            LATER},
    {"kernel_info_request", "kernel_info_reply", BOTH,    kernel_info_handle,         NOW  },
    {"connect_request",     "connect_reply",     BOTH,    connect_handle,             NOW  },
    {"interrupt_request",   "interrupt_reply",   BOTH,    execution_handle_interrupt, NOW  },
    {"shutdown_request",    "shutdown_reply",    BOTH,    shutdown_handle,            NOW  },
    {"usage_request",       "usage_reply",       CONTROL, usage_handle,               LATER},
};

const struct request_type *
dispatch_find(const char *type, enum channel channel)
{
    unsigned wanted = channel == CHANNEL_CONTROL ? ON_CONTROL : ON_SHELL;

    for (size_t i = 0; i < COUNT_OF(request_types); i++)
        if (strcmp(type, request_types[i].type) == 0)
            return request_types[i].channels & wanted ? &request_types[i] : NULL;
    return NULL;
}

void
dispatch_reply(struct kernel *kernel, struct request *request, struct slice content,
               struct slice metadata)
{
    if (request->is_replied || !request->type || !request->type->reply)
        return;
    request->is_replied = true;
    session_send(&kernel->session, request->socket, request->frames.slices,
                 request->message.ident_count,
                 &(struct outgoing){.type = request->type->reply,
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
    json_t *reply = json_pack("{s:s, s:o, s:o, s:o}", "status", "error", "ename",
                              json_text_string(slice_of(failure->ename)), "evalue",
                              json_text_string(slice_of(failure->message)), "traceback",
                              execution_traceback(failure));
    if (request_is_cell(request)) {
        json_object_set_new(reply, "execution_count",
                            json_integer(failure->execution_count));
        json_object_set_new(reply, "user_expressions", json_object());
        json_object_set_new(reply, "payload", json_array());
    }
    json_text_append(&content, reply);
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
    const struct request_type *type = request->type;
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
    } else if (type->handler(kernel, request, &err) < 0) {
        fail(kernel, request, &err);
    } else if (type->finishes == FINISHES_NOW) {
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
