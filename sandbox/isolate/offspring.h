/*
 * offspring: the end of everything that a process has started, where there is no pid
 * namespace whose end would do it (in a pod).
 */
#pragma once

/* Orphans of our descendants become our children from now on. */
int offspring_adopt(void);

/* Kills and reaps children until there are none: a child's children are ours by then.
 * What forks faster than that ends with the pod. */
void offspring_end(void);
