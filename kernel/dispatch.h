/*
 * dispatch: what becomes of every request that clients may send (common/messages.def).
 *
 * The dispatcher owns what all of them share: busy before, idle behind, an error as the
 * reply of a handler that failed. A handler that FINISHES_LATER owns the request until
 * it calls dispatch_finish.
 */
#pragma once

#include "kernel/jupyter/request.h"

struct kernel;

enum finishes {
    FINISHES_NOW,
    FINISHES_LATER,
};

typedef int handler_fn(struct kernel *kernel, struct request *request,
                       struct error *err);

/* NULL when there is none on that channel. */
const struct message_type *dispatch_find(const char *type, enum channel channel);

/* Takes the request. */
void dispatch(struct kernel *kernel, struct request *request);
/* Publish idle and free it. */
void dispatch_finish(struct kernel *kernel, struct request *request);

/* Send its reply: once, the first one counts. Empty metadata stands for {}. */
void dispatch_reply(struct kernel *kernel, struct request *request,
                    struct slice content, struct slice metadata);
/* An error in the form of Jupyter's: traceback's lines are joined from message and
 * remedy. execution_count is for execute_reply. */
struct failure {
    const char *ename, *message, *remedy; /* remedy may be "" */
    long long execution_count;
    const json_t *above; /* lines of a traceback, or NULL */
};
void dispatch_reply_error(struct kernel *kernel, struct request *request,
                          const struct failure *failure);
