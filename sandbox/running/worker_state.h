/*
 * worker_state: what is known of one worker. For the files worker*.c alone.
 *
 *     worker.c             its life: start, signals, end
 *     worker_hearing.c     what it says, checked and passed on
 *     worker_orders.c      what it is told: requests, answers, interrupts
 *     worker_debug.c       what goes to its debugger, beside what runs
 *     worker_beside.c      what goes to its subshells, likewise
 *     worker_succession.c  its checkpoint becomes the worker
 *     worker_restore.c     the user goes back to one of them
 */
#pragma once

#include "common/limits.h"
#include "sandbox/messages/channel.h"
#include "sandbox/resources/process.h"
#include "sandbox/running/checkpoint_ring.h"
#include "sandbox/running/interrupt.h"
#include "sandbox/running/worker.h"

/* state, and the states it may be entered from */
#define IN(state) (1U << WORKER_##state)
#define WORKER_STATES(X)                            \
    X(STARTING, 0)                                  \
    X(IDLE, IN(STARTING) | IN(BUSY) | IN(DRAINING)) \
    X(BUSY, IN(IDLE) | IN(DRAINING))                \
    X(DRAINING, IN(STARTING) | IN(IDLE) | IN(BUSY)) \
    X(GONE, IN(DRAINING))

enum worker_state {
#define X(state, from) WORKER_##state,
    WORKER_STATES(X)
#undef X
};

enum {
    OVERDUE_MS = 1000,    /* between an end of file and a death */
    UNTOLD_MS = 10000,    /* between a death and init's word of it, on a busy machine */
    CELL_BYTES = 1 << 20, /* of a cell that is remembered while it runs */
    NOTHING_WANTED = -1,
};

struct worker {
    struct worker_spec spec;
    enum worker_state state;
    struct channel *channel; /* NULL after a violation */
    bool channel_ended;
    int pidfd;
    struct process_watch process;
    struct loop_timer overdue, interrupt_timer, grace, restore_timer;
    struct interrupt interrupt;
    struct checkpoint checkpoint;    /* of an attempt */
    struct checkpoint_ring ring;     /* after its cells */
    struct channel *debugger;        /* that was lent for one; or NULL */
    bool debugs;                     /* it listens there */
    struct channel *beside;          /* for its subshells; NULL: it has closed that */
    struct checkpoint *heir;         /* dead, and this one is about to be the worker */
    json_t *asked;                   /* the content of the cell that runs, or NULL */
    int number;                      /* of the cell that began last */
    int counted;                     /* the last number of a subshell's cell */
    int wanted;                      /* cell whose checkpoint the user wants */
    json_t *told;                    /* what came with that wish, for the checkpoint */
    unsigned wishes;                 /* of the request that runs */
    char last[LIMIT_REQUEST_ID + 1]; /* the request that began last */
    json_t *hello;                   /* until it is ready */
    bool is_admitted, said_hello, asks, has_begun, was_ready;
    uint64_t question;     /* seq of the last input_request */
    bool may_be_succeeded; /* there was a checkpoint, and init may have seen it */
    bool is_to_restart;    /* as soon as the heir is the worker */
    bool is_death_known;   /* init said it, with a successor that is given up, too */
    char violation[512];
    size_t imports;    /* names of modules that it has told */
    json_t *variables; /* as it said last, or NULL */
    char refused_call[WORKER_CALL_NAME];
    struct worker_death death;
};

void worker_enter(struct worker *w, enum worker_state state);
bool worker_is_alive(const struct worker *w);

/* Is a request of this type running? */
bool worker_runs(const struct worker *w, const char *type);

void worker_watch_process(struct worker *w, int pidfd);

/* --- its end --- */

/* Its death, or a channel's end, was seen: init is to say so. */
void worker_expect_word(struct worker *w);

/* It broke the protocol: it is not heard any more, and ends. */
void worker_violate(struct worker *w, const char *what);

/* New reference: the content of `worker_exited`. */
json_t *worker_make_report(struct worker *w);

/* It is dead, and its channel has been read to the end. */
void worker_finish(struct worker *w);

/* --- what it says --- */

struct channel_ops worker_channel_ops(struct worker *w);

/* Once it has said hello, runs, and was admitted. */
void worker_become_ready(struct worker *w);

/* --- what it is told --- */

void worker_forget_interrupt(struct worker *w);
void worker_limit_grace(struct worker *w); /* of an attempt that is interrupted */
void worker_on_interrupt_tick(void *context);
void worker_on_grace_over(void *context);

/* --- its debugger --- */

/* A descriptor to send with the debug_request that runs, or -1. */
int worker_lend_debugger(struct worker *w);
/* It has started one. */
void worker_hear_debugger(struct worker *w);
/* Send what waits for it. */
void worker_pump_asides(struct worker *w);
/* Its requests are answered, and its clients are told. */
void worker_end_debugger(struct worker *w);

/* --- its subshells --- */

/* Give it the channel on which it only listens. */
void worker_lend_beside(struct worker *w);
/* Send what waits for them. */
void worker_pump_besides(struct worker *w);
/* It is dead: what they were asked is lost, and its client is told. */
void worker_end_besides(struct worker *w);

/* --- its checkpoints --- */

/* A descriptor to send with the request that runs, or -1. */
int worker_lend_checkpoint(struct worker *w);
/* Would anything take its place? */
bool worker_has_heir(struct worker *w);

/* It has said what became of the attempt: it is kept, or there is none. */
void worker_settle_attempt(struct worker *w);
void worker_on_checkpoint_frozen(void *context);
void worker_on_checkpoint_settled(void *context);

/* --- going back to one --- */

void worker_hear_wish(struct worker *w, const struct envelope *e);
void worker_on_named(void *context, bool has_named);
void worker_on_restore_overdue(void *context);
/* It is the one, and the worker was ended for it. */
bool worker_wants(struct worker *w, const struct checkpoint *checkpoint);
void worker_forget_restore(struct worker *w);
void worker_wake_checkpoint(struct worker *w);
