/*
 * dispatch: every request that clients may send, as one table.
 *
 * The dispatcher owns what all rows share: busy before, idle behind, an error as the
 * reply of a handler that failed. A handler that FINISHES_LATER owns the request until
 * it calls dispatch_finish.
 */
#pragma once

#include "kernel/jupyter/request.h"

struct kernel;

enum {
    ON_SHELL = 1 << 0,
    ON_CONTROL = 1 << 1,
};

enum finishes {
    FINISHES_NOW,
    FINISHES_LATER,
};

typedef int handler_fn(struct kernel *kernel, struct request *request,
                       struct error *err);

struct request_type {
    const char *type;
    const char *reply; /* NULL: none */
    unsigned channels;
    handler_fn *handler;
    enum finishes finishes;
};

/* NULL when there is none on that channel. */
const struct request_type *dispatch_find(const char *type, enum channel channel);

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
