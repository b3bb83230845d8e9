/*
 * request: one request of a client, from the socket it came on to its `idle`.
 */
#pragma once

#include <sys/queue.h>

#include "common/messages.h"
#include "kernel/jupyter/connection_file.h"
#include "kernel/jupyter/frames.h"
#include "kernel/jupyter/replay.h"
#include "kernel/jupyter/session.h"
#include "kernel/jupyter/wire.h"

struct request {
    STAILQ_ENTRY(request) link;
    struct frames frames; /* owned; the message's slices are in them */
    struct wire_message message;
    enum channel channel;
    void *socket;                    /* borrowed */
    const struct message_type *type; /* NULL: unknown, or not on this channel */
    int64_t came_ms;                 /* zclock_mono() */
    bool is_aborted;                 /* by an error of a cell before it */
    bool is_hurried;                 /* out of turn, before there is a sandbox */
    bool is_replied;
    bool is_for_journal; /* the kernel's own comm (kernel/archive/outputs_comm.h) */
    bool is_beside;      /* for the worker beside what runs (kernel/beside.h) */
    struct subshell *subshell; /* that it is for; NULL: the main shell */
};

/* The next valid message of a socket, or NULL when none waits. Invalid ones are logged
 * and dropped, without an answer. type is left NULL. */
struct request *request_receive(void *socket, enum channel channel,
                                struct signer *signer, struct replay *replay);
void request_free(struct request *request);

/* Its header, the parent of all that it causes. */
struct slice request_header(const struct request *request);
struct slice request_content(const struct request *request);

/* Is it an execute_request? */
bool request_is_cell(const struct request *request);

static inline void
auto_request(struct request **request)
{
    request_free(*request);
}
