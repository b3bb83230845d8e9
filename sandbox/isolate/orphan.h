/*
 * orphan: a fork's memory moves on to a process whose parent is init.
 *
 * Forking twice makes a process that is not a child of the worker, but copies the
 * memory twice. Here the second process takes over the memory of the first.
 */
#pragma once

/* In a process that was forked just now, by its only thread: returns in a child of it
 * which has the same memory, stack and thread; the caller has exited. If that fails,
 * the process ends with status 1. Called by ctypes. */
void orphan_move_on(void);
