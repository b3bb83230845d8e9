#include "kernel/jupyter/frames.h"

#include <errno.h>

#include "common/limits.h"

/* zmq_msg_t may not be copied, hence no realloc. */
static void
grow(struct frames *frames, size_t capacity)
{
    zmq_msg_t *grown = xcalloc(capacity, sizeof(*grown));

    for (size_t i = 0; i < frames->count; i++) {
        zmq_msg_init(&grown[i]);
        zmq_msg_move(&grown[i], &frames->messages[i]);
        zmq_msg_close(&frames->messages[i]);
    }
    free(frames->messages);
    frames->messages = grown;
}

static bool
keep(struct frames *frames, zmq_msg_t *message, size_t *capacity)
{
    if (frames->count == LIMIT_WIRE_FRAMES ||
        LIMIT_WIRE_BYTES - frames->bytes < zmq_msg_size(message))
        return false;
    if (frames->count == *capacity) {
        *capacity = *capacity ? *capacity * 2 : 16;
        grow(frames, *capacity);
    }
    frames->bytes += zmq_msg_size(message);
    zmq_msg_init(&frames->messages[frames->count]);
    zmq_msg_move(&frames->messages[frames->count], message);
    frames->count++;
    return true;
}

static void
slice_up(struct frames *frames)
{
    frames->slices = xcalloc(frames->count, sizeof(*frames->slices));
    for (size_t i = 0; i < frames->count; i++)
        frames->slices[i] = (struct slice){zmq_msg_data(&frames->messages[i]),
                                           zmq_msg_size(&frames->messages[i])};
}

int
frames_receive(void *socket, struct frames *out, struct error *err)
{
    AUTO(frames) struct frames frames = FRAMES_INIT;
    size_t capacity = 0;
    bool fits = true, more = true;

    while (more) {
        zmq_msg_t message;
        zmq_msg_init(&message);
        int got = zmq_msg_recv(&message, socket, ZMQ_DONTWAIT);
        if (got >= 0) {
            more = zmq_msg_more(&message);
            fits = fits && keep(&frames, &message, &capacity);
        }
        zmq_msg_close(&message);
        if (got < 0 && errno != EINTR)
            return 0; /* a message is there as a whole or not at all */
    }
    if (!fits)
        return error_set(err, ERR_TOO_LARGE, "message over %d frames or %d bytes",
                         LIMIT_WIRE_FRAMES, LIMIT_WIRE_BYTES);
    slice_up(&frames);
    *out = frames;
    frames = (struct frames)FRAMES_INIT;
    return 1;
}

void
frames_release(struct frames *frames)
{
    for (size_t i = 0; i < frames->count; i++)
        zmq_msg_close(&frames->messages[i]);
    free(frames->messages);
    free(frames->slices);
    *frames = (struct frames)FRAMES_INIT;
}

bool
frames_send(void *socket, const struct slice *frames, size_t count, bool more)
{
    for (size_t i = 0; i < count; i++) {
        int flags = ZMQ_DONTWAIT | (more || i + 1 < count ? ZMQ_SNDMORE : 0);
        int sent;
        do
            sent = zmq_send(socket, frames[i].data, frames[i].len, flags);
        while (sent < 0 && errno == EINTR);
        if (sent < 0)
            return false;
    }
    return true;
}
