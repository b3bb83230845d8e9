/*
 * cgroups: where this daemon may make control groups, one for each sandbox.
 *
 * Version 2 where its controllers are delegated to us, version 1 where they are mounted
 * and writable; each is tried out before it counts. Where memory has neither, the
 * user's systemd is asked for a scope, and they are tried once more. All groups lie
 * below one of our own that limits what all sandboxes together may have, so that they
 * cannot take the machine down. What a killed daemon has left of that is swept away by
 * the next one (cgroup_cleanup.h).
 */
#pragma once

#include "sandbox/resources/cgroup_cleanup.h"

enum cgroup_resource {
    CGROUP_MEMORY,
    CGROUP_CPU,
    CGROUP_RESOURCES,
};

/* A folder below which groups can be made; version 0: none. */
struct cgroup_place {
    int version;
    char *base; /* owned */
};

struct cgroups {
    struct cgroup_place places[CGROUP_RESOURCES];
    struct cgroup_cleanup *cleanup;
    uint64_t memory_bytes; /* of the machine, or what our own group may have of it */
    bool is_lent;          /* by the user's systemd: user_scope.h */
    char *not_lent;        /* why it was asked in vain; NULL: it was not asked */
};

/* Never fails: what is not available is left out, and the log says why. May move the
 * calling process into a scope of its own (USER_SCOPE_PATIENCE_MS at most). Without a
 * loop what is to go and does not at once is tried again by cgroups_close only. */
struct cgroups *cgroups_open(struct loop *loop);
void cgroups_close(struct cgroups *cgroups); /* removes them */

/* Of either version: without, nothing can be delegated to us. */
bool cgroups_are_mounted(void);

/* What all sandboxes may have together; the rest is the machine's. */
uint64_t cgroups_most_memory(const struct cgroups *cgroups);
/* What a sandbox may have that asks for nothing: three quarters of the machine when it
 * is the only one; else half of what all may have together, so that two notebooks can
 * both have it. */
uint64_t cgroups_default_memory(const struct cgroups *cgroups, bool is_only_one);

static inline void
auto_cgroups(struct cgroups **cgroups)
{
    cgroups_close(*cgroups);
}
