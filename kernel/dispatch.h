/*
 * dispatch: how each request that clients may send is handled (common/messages.def).
 *
 * The dispatcher does what all of them share: `busy` before, `idle` after, and an error
 * as the reply when a handler fails. A handler that FINISHES_LATER owns the request
 * until it calls dispatch_finish.
 */
#pragma once

#include "kernel/content/failure.h"
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
/* The same with an error of ours. */
void dispatch_reply_error(struct kernel *kernel, struct request *request,
                          const struct failure *failure);
