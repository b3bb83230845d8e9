/*
 * inspector: a thread that inspects one message at a time, so that the event loop goes
 * on answering meanwhile.
 *
 * Whoever gives it a message holds back what comes behind that one, so the order stays.
 * It owns what it works on, and what it does is bounded by common/limits.h: it has
 * nothing to wait for, and no way to be stopped half-way.
 */
#pragma once

#include <pthread.h>

#include "common/envelope.h"
#include "kernel/output/inspection.h"

struct inspector_job {
    struct buffer bytes; /* of the event: its slices point into them */
    struct envelope event;
    struct inspection_order order;
    struct inspection result;
};

struct inspector {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t news;
    struct inspector_job *job; /* owned; NULL: there is nothing to do */
    bool is_done;              /* with the job */
    bool is_running, is_ending;
    int fd; /* readable once the job is done */
};

int inspector_start(struct inspector *inspector, struct error *err) MUST_CHECK;
void inspector_stop(struct inspector *inspector);

/* Copies the event. order->content and metadata are taken from the event. */
struct inspector_job *inspector_job_new(const struct envelope *event,
                                        const struct inspection_order *order);
void inspector_job_free(struct inspector_job *job);

/* Takes the job. Only when it has none. */
void inspector_begin(struct inspector *inspector, struct inspector_job *job);
bool inspector_is_busy(const struct inspector *inspector);
/* The job, with its result: the caller's again. Waits for it if need be. */
struct inspector_job *inspector_take(struct inspector *inspector);

static inline void
auto_inspector_job(struct inspector_job **job)
{
    inspector_job_free(*job);
}
