/*
 * execution: the request that the sandbox works on, and its answers.
 *
 * A cell waits for the sandbox if necessary and is posted; its outputs are checked and
 * relayed unchanged; its reply ends it. Any failure on the way ends the cell with an
 * error; the kernel and the next cell go on.
 */
#pragma once

#include "kernel/client/execution_state.h"
#include "kernel/client/sandbox.h"
#include "kernel/content/failure.h"
#include "kernel/dispatch.h"
#include "kernel/interrupt.h"
#include "kernel/jupyter/parent_headers.h"
#include "kernel/stage_line.h"

#define IMAGE_BUDGET   ((uint64_t)LIMIT_CELL_IMAGES_MB << 20)
#define NAMES_ARE_GONE "Its variables are gone. The next cell runs in a fresh one."

struct execution {
    struct request *request; /* owned while there is one */
    char id[PARENT_ID_SIZE]; /* as the sandbox knows it */
    char last_cell[PARENT_ID_SIZE];
    struct buffer prepared;      /* its content, where that was completed */
    enum execution_state state;  /* execution_enter changes it */
    struct trace_id trace;       /* of the request, for the logs */
    bool is_ask;                 /* its cell is kernel->ask's */
    bool is_carried, is_brought; /* what it reads, what it wrote (kernel/carrying.h) */
    bool is_outputs;             /* its cell is answered by kernel/outputs_magic.h */
    bool is_silent, stops_on_error, allows_stdin; /* as its client said */
    struct stage_line stage_line;
    struct interrupt interrupt;
    long long count;       /* the last execution_count heard of */
    uint64_t image_budget; /* bytes that what it shows may still have when decoded */
    struct parent_headers *parents;
    char *notice; /* for the user, with the first cell that shows something */
};

/* Asserts that this change of state is allowed. */
void execution_enter(struct execution *execution, enum execution_state state);
/* Has the request been posted to the sandbox, or is it being posted? */
bool execution_is_posted(const struct execution *execution);
/* Is it a cell whose outputs the user sees? */
bool execution_is_shown(const struct execution *execution);

void execution_init(struct execution *execution);
void execution_release(struct execution *execution);

/* Claim a sandbox, unless there is one or one is coming. */
void execution_claim(struct kernel *kernel);

/* A new id for the request; one that is posted keeps its own. */
void execution_name(struct execution *execution);

handler_fn execution_start;
/* The sandbox is ready for the request that waited for it. */
void execution_send(struct kernel *kernel);

/* A question waited until subshells were at rest: they may be. */
void execution_go_on(struct kernel *kernel);

/* Does this execute_reply ask the kernel to end? */
bool execution_asks_to_exit(struct slice content);

/* The worker's reply: relayed, and the request is over. */
void execution_end(struct kernel *kernel, struct slice content, struct slice metadata);
/* The same, with an error that the kernel makes itself. */
void execution_fail(struct kernel *kernel, const char *ename, const char *message,
                    const char *remedy);

void execution_fail_with(struct kernel *kernel, const struct failure *failure);

/* A message from the kernel itself, shown in its cell. */
void execution_publish(struct kernel *kernel, enum message_id type,
                       const struct buffer *content);

/* A step of a question's cell, in place of what was posted before. Returns its id,
 * valid until the next one. The request may be over by then. */
const char *execution_post_step(struct kernel *kernel, const char *type,
                                struct slice content, bool is_cell);
