/*
 * cgroup_own: which control group this process is in, and where that is a folder.
 *
 * A hierarchy is named by a controller of version 1 ("memory"), or by "" for version 2.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

struct cgroup_mount {
    char root[PATH_MAX], point[PATH_MAX]; /* what of it is mounted, and where */
};

/* False when it is not mounted. */
bool cgroup_own_mount(const char *controller, struct cgroup_mount *out);
/* Our group in it, or NULL; owned by the caller. */
char *cgroup_own_folder(const char *controller);
