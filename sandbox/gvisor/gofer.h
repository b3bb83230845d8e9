/*
 * gofer: gVisor reaches the user's files through a process of its own on this machine,
 * the gofer, which does what cells ask of it. What it must not do to them is kept by
 * the machine's kernel: by the mounts that a sandbox of namespaces has on its workspace
 * (sandbox/isolate/protect.h), in a mount namespace that ends with its processes, and
 * by a filter of system calls.
 */
#pragma once

#include "common/error.h"

/* Once, in a program that has one thread: it and what it starts see `workspace` (or
 * NULL) as cells may have it. An ordinary user is 0 in a user namespace from here on.
 * `scratch` is a folder of our own. *notice is for the user, or NULL; the caller
 * frees it. */
int gofer_hold(const char *workspace, const char *scratch, char **notice,
               struct error *err) MUST_CHECK;

/* From here on nothing that this program starts makes a link outside gVisor,
 * and whoever makes a socket with a name waits until gofer_answer() was called, which
 * is due when *questions is readable. */
int gofer_filter(int *questions, struct error *err) MUST_CHECK;
void gofer_answer(int questions, bool may_make_it);
