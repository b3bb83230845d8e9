/*
 * execution: the request that the sandbox works on, and all that comes back.
 *
 * A cell waits for the sandbox if it must, is posted, its outputs are checked and
 * relayed as they are, its reply ends it. Whatever goes wrong on the way ends it with
 * an error: the kernel, and the next cell, live.
 */
#pragma once

#include "common/timer.h"
#include "kernel/ask/ask.h"
#include "kernel/client/sandbox.h"
#include "kernel/dispatch.h"
#include "kernel/jupyter/parent_headers.h"

#define NAMES_ARE_GONE "Its variables are gone. The next cell runs in a fresh one."

struct execution {
    struct request *request; /* owned while there is one */
    char id[PARENT_ID_SIZE]; /* as the sandbox knows it */
    char last_cell[PARENT_ID_SIZE];
    struct buffer prepared; /* its content, where that was completed */
    bool is_sent, is_accepted, wants_interrupt;
    bool is_ask; /* its cell is kernel->ask's */
    bool is_silent, stops_on_error, allows_stdin;
    bool is_stage_shown;
    struct timer timer;
    long long count; /* the last execution_count heard of */
    struct parent_headers *parents;
    char *notice; /* for the user, with the first cell that shows something */
};

void execution_init(struct execution *execution);
void execution_release(struct execution *execution);

/* The sandbox's callbacks; arg is the kernel. */
struct sandbox_owner execution_sandbox_owner(struct kernel *kernel);

/* Claim a sandbox, unless there is one or one is coming. */
void execution_claim(struct kernel *kernel);

handler_fn execution_start;

/* The worker's reply: relayed, and the request is over. */
void execution_end(struct kernel *kernel, struct slice content, struct slice metadata);
/* The same with an error of ours. */
void execution_fail(struct kernel *kernel, const char *ename, const char *message,
                    const char *remedy);

/* What a question's cell needs of the execution. A step that it sends gives the request
 * a new id, and its answer comes to relay. */
struct ask_host execution_ask_host(struct kernel *kernel);

/* Worker or sandbox ended while nothing ran. Nobody waits for an answer; the last cell
 * is where a person looks. */
void execution_tell_between_cells(struct kernel *kernel, const char *message);

/* Interrupt what runs now, if anything does. */
void execution_interrupt(struct kernel *kernel);
handler_fn execution_handle_interrupt;

/* Its lines, for a failure of ours. */
json_t *execution_traceback(const struct failure *failure);
