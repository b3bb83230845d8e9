/*
 * cgroup: the control groups of one sandbox.
 *
 * Memory has two marks: at the first one, `soft`, the sandbox is to be told, at the
 * second, `hard`, something in it dies. Version 1 makes whoever asks for more than the
 * soft mark wait until somebody decides (a descriptor tells), version 2 slows it down.
 * Page cache counts for neither: the kernel takes it back first.
 */
#pragma once

#include "sandbox/resources/cgroups.h"

struct cgroup;

/* What is 0 is not limited. Without a place for memory there is none: *out is NULL. */
struct cgroup_limits {
    uint64_t memory_soft, memory_hard; /* bytes */
    double cpus;
};

int cgroup_new(struct cgroup **out, const struct cgroups *cgroups, const char *name,
               const struct cgroup_limits *limits, struct error *err) MUST_CHECK;
void cgroup_free(struct cgroup *group); /* everything in it ends */

/* Descriptors of the cgroup.procs of its folders, for cgroup_mover.h; owned by the
 * caller. Returns how many. */
int cgroup_open_procs(const struct cgroup *group, int fds[CGROUP_RESOURCES]);
bool cgroup_holds(const struct cgroup *group, pid_t pid);

/* Readable when the soft mark was reached, version 1; else -1. Borrowed. */
int cgroup_pressure_fd(const struct cgroup *group);
void cgroup_clear_pressure(const struct cgroup *group);
bool cgroup_is_waiting(const struct cgroup *group); /* version 1: somebody does */

uint64_t cgroup_memory(const struct cgroup *group); /* without page cache; 0: unknown */
uint64_t cgroup_peak(const struct cgroup *group);   /* with page cache */
uint64_t cgroup_kills(const struct cgroup *group);  /* by the kernel, for memory */

/* False when more than that is in use. */
bool cgroup_set_soft(struct cgroup *group, uint64_t bytes);

static inline void
auto_cgroup(struct cgroup **group)
{
    cgroup_free(*group);
}
