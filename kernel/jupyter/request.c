#include "kernel/jupyter/request.h"

#define LOG_COMPONENT "wire"
#include "common/log.h"

static const char *const channel_names[CHANNELS] = {
    [CHANNEL_SHELL] = "shell",         [CHANNEL_IOPUB] = "iopub",
    [CHANNEL_STDIN] = "stdin",         [CHANNEL_CONTROL] = "control",
    [CHANNEL_HEARTBEAT] = "heartbeat",
};

static int
check_replay(const struct request *request, struct signer *signer,
             struct replay *replay, struct error *err)
{
    if (!signer_is_off(signer) && !replay_is_first(replay, request->message.signature))
        return error_set(err, ERR_DENIED, "signature seen before");
    return 0;
}

static int
read_message(struct request *request, struct signer *signer, struct replay *replay,
             struct error *err)
{
    if (wire_parse(request->frames.slices, request->frames.count, signer,
                   &request->message, err) < 0)
        return -1;
    return check_replay(request, signer, replay, err);
}

struct request *
request_receive(void *socket, enum channel channel, struct signer *signer,
                struct replay *replay)
{
    for (;;) {
        AUTO(request) struct request *request = xcalloc(1, sizeof(*request));
        struct error err;
        request->channel = channel;
        request->socket = socket;
        int got = frames_receive(socket, &request->frames, &err);
        if (got == 0)
            return NULL;
        if (got > 0 && read_message(request, signer, replay, &err) == 0)
            return TAKE(request);
        log_error("dropped channel=%s reason=\"%s\"", channel_names[channel], err.text);
    }
}

void
request_free(struct request *request)
{
    if (!request)
        return;
    wire_message_release(&request->message);
    frames_release(&request->frames);
    free(request);
}

struct slice
request_header(const struct request *request)
{
    return request->message.parts[WIRE_HEADER];
}

struct slice
request_content(const struct request *request)
{
    return request->message.parts[WIRE_CONTENT];
}

bool
request_is_cell(const struct request *request)
{
    return strcmp(request->message.type, "execute_request") == 0;
}
