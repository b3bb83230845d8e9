/*
 * outbox: how many bytes wait in ZeroMQ for subscribers that read slowly.
 *
 * iopub never drops a message, so its queues have no bound of their own. The outbox
 * counts each message until ZeroMQ lets go of it; when it is full, the kernel stops
 * reading from the sandbox, the sandbox from the worker, and the worker waits.
 */
#pragma once

#include "common/error.h"

struct outbox;

int outbox_new(struct outbox **out, size_t max_bytes, struct error *err) MUST_CHECK;
void outbox_free(struct outbox *outbox); /* once its socket's context has ended */

bool outbox_is_full(struct outbox *outbox);
/* Readable when there is room again, after outbox_is_full said true. */
int outbox_fd(const struct outbox *outbox);
void outbox_clear_fd(struct outbox *outbox);

/* Send one frame, counted as that many bytes and `overhead` more. */
bool outbox_send(struct outbox *outbox, void *socket, struct slice frame,
                 size_t overhead, bool more);

static inline void
auto_outbox(struct outbox **outbox)
{
    outbox_free(*outbox);
}
