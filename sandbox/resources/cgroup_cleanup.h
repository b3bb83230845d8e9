/*
 * cgroup_cleanup: control groups that are to go, those that killed daemons have left
 * included.
 *
 * A group can be removed once it is empty, and who was killed is a member until the
 * kernel has done with it. So what does not go at once is tried again, ever less often,
 * until it is gone.
 */
#pragma once

#include "sandbox/loop.h"

struct cgroup_cleanup;

/* Without a loop, only cgroup_cleanup_free tries again. */
struct cgroup_cleanup *cgroup_cleanup_new(struct loop *loop);
void cgroup_cleanup_free(struct cgroup_cleanup *cleanup); /* tries for a minute more */

/* All that is in it, and in the groups just below it, ends; then it goes. */
void cgroup_cleanup_add(struct cgroup_cleanup *cleanup, const char *folder,
                        int version);

/* Below which a daemon has its groups: the name holds its pid and start time, so that
 * the next one knows when it has ended. */
char *cgroup_cleanup_base(const char *parent);
/* What daemons that have ended left in this folder. */
void cgroup_cleanup_sweep(struct cgroup_cleanup *cleanup, const char *parent,
                          int version);
