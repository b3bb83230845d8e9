/*
 * probe_groups: which control groups a sandboxd of this user would have.
 *
 * Tried out in a process of its own, since that may move itself into a scope.
 */
#pragma once

#include "sandbox/resources/cgroups.h"

struct probed_groups {
    int versions[CGROUP_RESOURCES]; /* 0: none */
    bool is_lent;                   /* by the user's systemd */
    char not_lent[256];             /* why not, where it was asked; else "" */
};

void probe_groups(struct probed_groups *out);
