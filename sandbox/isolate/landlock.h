/*
 * landlock: a second wall around files, independent of mounts: read and run everything
 * that is in the tree, write in the scratch folders and the writable binds alone. Where
 * the kernel can, signals and abstract sockets stay inside too (Landlock ABI 6). TCP is
 * not restricted: the network namespace is empty, and its loopback is for use.
 */
#pragma once

#include "sandbox/isolate/failure.h"

bool landlock_is_there(void);

/* Needs no_new_privs. */
int landlock_enter(const struct isolate_plan *plan,
                   struct isolate_failure *failure) MUST_CHECK;
