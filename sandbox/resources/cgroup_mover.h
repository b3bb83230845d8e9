/*
 * mover: puts processes into control groups, without making the loop wait.
 *
 * The kernel takes some milliseconds for one move, most of which it waits: a thread
 * does it. It touches nothing but the descriptors that it is given.
 */
#pragma once

#include <sys/types.h>

#include "sandbox/loop.h"

struct mover;

struct move {
    void (*on_done)(void *context, int sys); /* errno of the first that failed, or 0 */
    void *context;
    uint64_t number; /* 0: none is under way */
    struct move *next;
};

struct mover *mover_new(struct loop *loop, struct error *err) MUST_CHECK;
void mover_free(struct mover *mover);

/* fds: of cgroup.procs files; taken. */
void mover_start(struct mover *mover, struct move *move, const int *fds, int count,
                 pid_t pid);
void mover_forget(struct mover *mover, struct move *move); /* on_done is not called */

static inline void
auto_mover(struct mover **mover)
{
    mover_free(*mover);
}
