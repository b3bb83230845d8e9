/*
 * subshell: shells beside the main one (JEP 91), which clients create and delete. The
 * requests of one, which name it in their header, are worked on one after the other, as
 * they came, whatever runs elsewhere.
 *
 * A subshell is a name and a queue. Its thread is in the worker, which makes it when it
 * is needed: so a subshell outlives a worker, and what ran in it then does not. While a
 * question is worked on none of them begins anything, and a question does not begin
 * before they are at rest: undoing a model's code would undo theirs.
 */
#pragma once

#include <sys/queue.h>

#include "kernel/dispatch.h"

struct subshell;

struct subshells {
    STAILQ_HEAD(, subshell) list;
    size_t count; /* with those that are deleted, and whose worker is not done yet */
};

void subshell_init(struct subshells *subshells);
void subshell_release(struct subshells *subshells);

handler_fn subshell_handle_create, subshell_handle_delete, subshell_handle_list;
/* Create and delete are done. */
void subshell_answer_order(struct kernel *kernel, const struct subshell *subshell,
                           struct request *request);

const char *subshell_id(const struct subshell *subshell);

/* A request of the shell channel. False: it is not for a subshell. Takes it if true. */
bool subshell_take(struct kernel *kernel, struct request *request);
/* From dispatch: a request of a subshell is over. */
void subshell_finished(struct kernel *kernel, struct request *request);
/* Begin what may begin. */
void subshell_run_all(struct kernel *kernel);

/* The execute_requests that wait in it will be answered `aborted`. */
void subshell_abort(struct kernel *kernel, struct subshell *subshell);

/* From beside.c: the worker has one more thing to do for it, or one less. The last may
 * free it. */
void subshell_entered(struct subshell *subshell);
void subshell_left(struct kernel *kernel, struct subshell *subshell);
