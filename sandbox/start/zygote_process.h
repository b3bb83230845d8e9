/*
 * zygote_process: starts Python as a zygote, which inherits only its socket from us.
 */
#pragma once

#include <sys/types.h>

#include "common/error.h"

/* Its socket is borrowed. A failed exec is reported on it, in the form in which a
 * zygote reports its failure. Even on an error *pid may be a process; it is -1 if
 * not. */
int zygote_process_start(const char *python, bool is_pod, int socket, pid_t *pid,
                         int *pidfd, struct error *err) MUST_CHECK;

/* What to do about a start that failed with this errno; 0: without one. */
const char *zygote_process_remedy(int sys);
