/*
 * shutdown: ends the kernel without leaving anything behind.
 *
 * The sandbox is destroyed first, but the kernel does not wait for ever: a sandboxd
 * that does not answer ends the sandbox itself once this process has gone.
 */
#pragma once

#include "common/timer.h"
#include "kernel/dispatch.h"

struct shutdown {
    bool is_under_way;
    int exit_status;
    struct timer timer; /* until it begins, then until it is over at the latest */
};

handler_fn shutdown_handle;

/* The first call counts. */
void shutdown_begin(struct kernel *kernel, int exit_status);

/* The same, because nobody is left who could ask for it: a session that is to be kept
 * waits for the next kernel. */
void shutdown_leave(struct kernel *kernel, int exit_status);

/* exit() in a cell ends the kernel a moment after the cell's reply: a client may look
 * whether the kernel lives before it looks at the reply (jupyter console does). */
void shutdown_after_reply(struct kernel *kernel);

void shutdown_release(struct shutdown *shutdown);

static inline bool
shutdown_is_under_way(const struct shutdown *shutdown)
{
    return shutdown->is_under_way;
}
