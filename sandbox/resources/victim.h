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
