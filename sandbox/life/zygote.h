/*
 * zygote: one warmed Python for each template, which forks the inits of sandboxes.
 *
 * Jobs wait until their zygote is warm. A zygote that dies after it was warm is started
 * anew at once; one that never gets warm fails the jobs that wait for it, and the next
 * job tries again.
 */
#pragma once

#include <jansson.h>
#include <sys/types.h>

#include "sandbox/loop.h"

struct zygotes;
struct zygote;

enum zygote_job_state {
    JOB_NONE,
    JOB_WAITING,
    JOB_SENT,
};

/* One sandbox to spawn; embedded in the sandbox. */
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

struct zygotes *zygotes_new(struct loop *loop, bool is_pod);
void zygotes_free(struct zygotes *zygotes); /* ends them all */

/* Before anybody asks: the first sandbox of this Python then waits for nothing. */
void zygotes_warm(struct zygotes *zygotes, const char *python);
bool zygotes_are_warm(const struct zygotes *zygotes); /* those there are */

/* Calls back later, never from here. */
void zygotes_submit(struct zygotes *zygotes, const char *python,
                    struct zygote_job *job);
/* A job that was not sent is withdrawn: true. One that was sent calls back. */
bool zygote_job_withdraw(struct zygote_job *job);

/* What a failure is made of; a new reference. NULL stands for "". */
json_t *failure_make(const char *code, const char *layer, const char *message,
                     const char *remedy);

static inline void
auto_zygotes(struct zygotes **zygotes)
{
    zygotes_free(*zygotes);
}
