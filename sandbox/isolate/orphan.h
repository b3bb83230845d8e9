/*
 * orphan: a fork's memory moves on to a process whose parent is init.
 *
 * Who forks twice, so that the second is nobody's child that waits for children, pays
 * for the copy of the memory twice. Here the second one takes over the first one's.
 */
#pragma once

/* In a process that was forked just now, by its only thread: returns in a child of it
 * which has the same memory, stack and thread; the caller has exited. Does not return
 * where that cannot be: the process ends with 1. Called by ctypes. */
void orphan_move_on(void);
