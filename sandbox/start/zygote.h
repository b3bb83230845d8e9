/*
 * zygote: one warmed Python for each template, which forks the inits of sandboxes.
 *
 * Jobs wait until their zygote is warm. A zygote that dies after it was warm is
 * restarted at once. If one never gets warm, the jobs that wait for it fail, and the
 * next job tries again.
 */
#pragma once

#include <jansson.h>
#include <sys/types.h>

#include "sandbox/loop.h"

struct zygote_pool;
struct zygote;

enum zygote_job_state {
    JOB_NONE,
    JOB_WAITING,
    JOB_SENT,
};

/* One sandbox to spawn; embedded in its supervisor. */
struct zygote_job {
    const char *id;  /* borrowed */
    json_t *spec;    /* owned until done */
    int init_socket; /* init's end; owned until sent */
    int idmap;       /* borrowed user namespace, or -1 */
    void (*on_spawned)(void *context, pid_t pid, int pidfd); /* takes pidfd */
    /* {"code","layer","message","remedy"}, borrowed */
    void (*on_failed)(void *context, const json_t *failure);
    void *context;
    enum zygote_job_state state;
    struct zygote *zygote;
    struct zygote_job *next;
};

/* preload_mb: what modules that sandboxes have named may take in a zygote, learnt in
 * state_dir; 0: none is. */
struct zygote_pool *zygote_pool_new(struct loop *loop, bool is_pod,
                                    const char *state_dir, unsigned preload_mb);
void zygote_pool_free(struct zygote_pool *zygotes); /* ends them all */

/* Starts a zygote at once, before the first job: the first sandbox of this Python waits
 * for it no longer than it must. */
void zygote_pool_warm(struct zygote_pool *zygotes, const char *python);
/* Its sandboxes have imported these: an array of texts, borrowed and hostile. The
 * zygote loads them, now and when it is started anew. */
void zygote_pool_learn(struct zygote_pool *zygotes, const char *python,
                       const json_t *names);
bool zygote_pool_is_warm(const struct zygote_pool *zygotes); /* those there are */

/* Calls back later, never from here. */
void zygote_pool_submit(struct zygote_pool *zygotes, const char *python,
                        struct zygote_job *job);
/* Withdraws a job that was not sent yet, and returns true. A job that was sent calls
 * back. */
bool zygote_job_withdraw(struct zygote_job *job);

/* The object for a failure, a new reference. NULL stands for "". */
json_t *zygote_failure(const char *code, const char *layer, const char *message,
                       const char *remedy);

static inline void
auto_zygote_pool(struct zygote_pool **zygotes)
{
    zygote_pool_free(*zygotes);
}
