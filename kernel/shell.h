/*
 * shell: requests of the shell channel, one after the other, in the order they came.
 *
 * Bounded in bytes: above the limit, the socket is not read until the queue is shorter.
 */
#pragma once

#include "kernel/jupyter/request.h"

struct kernel;

struct shell {
    STAILQ_HEAD(, request) queue;
    struct request *current; /* the one that a handler works on; borrowed */
    size_t queued_bytes;
    bool is_reading, is_running;
};

void shell_init(struct shell *shell);
void shell_release(struct shell *shell);

/* Begin to read the socket. */
void shell_start(struct kernel *kernel);
/* A request that came on control but is for the worker: it waits its turn here. */
void shell_push(struct kernel *kernel, struct request *request);
/* One that waits in the queue is answered now, without a sandbox. */
void shell_hurry(struct kernel *kernel, struct request *request);
/* From dispatch: on whatever channel it was. */
void shell_finished(struct kernel *kernel, struct request *request);

/* All execute_requests of the shell channel received so far, those still in the socket
 * too, will be answered `aborted`. Other requests are not touched. */
void shell_abort(struct kernel *kernel);
