/*
 * supervisor_state: what is known of one sandbox's processes. For the files
 * supervisor*.c alone.
 *
 *     supervisor.c          its life: init's start and end, and the whole's
 *     supervisor_workers.c  the workers, one after the other, and what their requests
 * make supervisor_limits.c   what is done to a worker that exceeds a limit
 */
#pragma once

#include "common/limits.h"
#include "sandbox/life/autorun_names.h"
#include "sandbox/life/supervisor.h"
#include "sandbox/network/network.h"
#include "sandbox/start/init.h"

struct supervisor {
    struct supervisor_spec spec;
    bool was_ready, is_stopped;
    unsigned failures; /* starts in a row that came to nothing */
    unsigned vain;     /* workers in a row that ended without having been asked */
    struct loop_timer start_deadline;
    struct loop_timer next_start; /* after those */
    struct zygote_job job;
    struct init *init;
    struct worker *worker;
    struct network network;
    struct workspace workspace;
    int64_t files_owner;
    struct resources *resources;
    struct autorun_names autorun_names;
    bool is_learning;       /* what names there are before there is a worker, */
    bool waits_for_look;    /* which waits for that */
    bool looks_again;       /* once the look that is under way has ended */
    char *untold;           /* a notice for the first cell; NULL: there is none */
    struct loop_timer look; /* for what the last request has made */
    char begun[LIMIT_REQUEST_ID + 1], ended[LIMIT_REQUEST_ID + 1]; /* the last ones */
};

static inline struct loop *
supervisor_loop(const struct supervisor *s)
{
    return s->spec.host->loop;
}

/* --- supervisor.c --- */

/* A minute from now it is too late for a hello. */
void supervisor_expect_start(struct supervisor *s);
/* A start that came to nothing is counted. True: there will be no other. */
bool supervisor_is_hopeless(struct supervisor *s);
void supervisor_fail(struct supervisor *s, const char *code, const char *message);
void supervisor_spawn(struct supervisor *s); /* an init */

/* --- supervisor_workers.c --- */

void supervisor_start_worker(struct supervisor *s); /* init is ready */
void supervisor_on_next_start(void *context);       /* the timer `next_start` */
/* Init's news, as struct init_ops has them. */
void supervisor_worker_started(void *context, int pidfd);
bool supervisor_worker_succeeded(void *context, int pidfd,
                                 const struct init_exit *exit);
void supervisor_worker_exited(void *context, const struct init_exit *exit);
/* Before the first request: what its user's folder holds already is not news. */
void supervisor_know_files(struct supervisor *s);
void supervisor_on_look(void *context); /* the timer `look` */
void supervisor_forget_look(struct supervisor *s);

/* --- supervisor_limits.c --- */

int supervisor_limit(struct supervisor *s, struct error *err) MUST_CHECK;
