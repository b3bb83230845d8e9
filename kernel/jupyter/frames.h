/*
 * frames: one multipart ZeroMQ message, received or sent.
 *
 * Sockets are raw libzmq ones. Nothing here blocks: if no message waits, or no room is
 * left, the call returns that.
 */
#pragma once

#include <zmq.h>

#include "common/error.h"

struct frames {
    zmq_msg_t *messages;  /* owned, count of them */
    struct slice *slices; /* their bytes */
    size_t count, bytes;
};

#define FRAMES_INIT \
    {               \
        0           \
    }

/* 1 with a message, 0 when none waits, -1 when one was over a limit and is dropped. */
int frames_receive(void *socket, struct frames *out, struct error *err) MUST_CHECK;
void frames_release(struct frames *frames);

/* Copies. With `more` further frames of the same message follow. A ROUTER drops what is
 * for a peer that has gone; false when the message cannot be sent. */
bool frames_send(void *socket, const struct slice *frames, size_t count, bool more);

static inline void
auto_frames(struct frames *frames)
{
    frames_release(frames);
}
