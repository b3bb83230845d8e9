/*
 * cgroup_mover: puts processes into control groups, without making the loop wait.
 *
 * The kernel takes some milliseconds for one move, most of which it waits: a thread
 * does it. It touches nothing but the descriptors that it is given.
 */
#pragma once

#include <sys/types.h>

#include "sandbox/loop.h"

struct cgroup_mover;

struct move {
    void (*on_done)(void *context, int sys); /* errno of the first that failed, or 0 */
    void *context;
    uint64_t number; /* 0: none is under way */
    struct move *next;
};

struct cgroup_mover *cgroup_mover_new(struct loop *loop, struct error *err) MUST_CHECK;
void cgroup_mover_free(struct cgroup_mover *mover);

/* fds: of cgroup.procs files; taken. */
void cgroup_mover_start(struct cgroup_mover *mover, struct move *move, const int *fds,
                        int count, pid_t pid);
void cgroup_mover_forget(struct cgroup_mover *mover,
                         struct move *move); /* on_done is not called */

static inline void
auto_mover(struct cgroup_mover **mover)
{
    cgroup_mover_free(*mover);
}
