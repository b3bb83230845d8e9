/*
 * victim: which process of a sandbox ends when its memory is used up.
 *
 * What the cell has started goes before the worker, which has the user's variables.
 */
#pragma once

#include "sandbox/resources/memory.h"

/* Kills what the cell has started, if that is to blame, and says so by ops->notice.
 * root: init; limit in bytes. False: nothing was killed, the worker is to blame. */
bool victim_kill(pid_t root, uint64_t limit, const struct memory_ops *ops);

/* Does what was killed then (0: nothing was) still hold memory? Nobody else may go on
 * meanwhile, and take as much again. Not for ever: *killed_ms is 0 afterwards. */
bool victim_is_dying(pid_t root, int64_t *killed_ms);
