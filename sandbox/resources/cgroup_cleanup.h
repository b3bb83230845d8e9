/*
 * remains: control groups that are to go, those that killed daemons have left included.
 *
 * A group can be removed once it is empty, and who was killed is a member until the
 * kernel has done with it. So what does not go at once is tried again, ever less often,
 * until it is gone.
 */
#pragma once

#include "sandbox/loop.h"

struct remains;

/* Without a loop, only remains_free tries again. */
struct remains *remains_new(struct loop *loop);
void remains_free(struct remains *remains); /* tries for a second more */

/* All that is in it, and in the groups just below it, ends; then it goes. */
void remains_add(struct remains *remains, const char *folder, int version);

/* Below which a daemon has its groups: the name holds its pid and start time, so that
 * the next one knows when it has ended. */
char *remains_base(const char *parent);
/* What daemons that have ended left in this folder. */
void remains_sweep(struct remains *remains, const char *parent, int version);
