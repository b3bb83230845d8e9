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
    size_t comms; /* in the queue */
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

/* Requests of subshells wait elsewhere, and take their share of the room. */
void shell_queued(struct kernel *kernel, const struct request *request);
void shell_dequeued(struct kernel *kernel, const struct request *request);
/* Read what waits in the socket, as far as there is room. */
void shell_drain(struct kernel *kernel);
/* The next one may begin: comm messages for the main thread are done, or its cell runs
 * and may await some. */
void shell_go_on(struct kernel *kernel);

/* All execute_requests of the shell channel received so far, those still in the socket
 * too, will be answered `aborted`. Other requests are not touched. */
void shell_abort(struct kernel *kernel);
