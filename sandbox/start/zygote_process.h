/*
 * zygote_process: Python, started as a zygote, with nothing of ours but its socket.
 */
#pragma once

#include <sys/types.h>

#include "common/error.h"

/* Its socket is borrowed. An exec that fails is told on it, as a zygote tells that it
 * failed. On an error *pid may be a process all the same: -1 if not. */
int zygote_process_start(const char *python, bool is_pod, int socket, pid_t *pid,
                         int *pidfd, struct error *err) MUST_CHECK;

/* What to do about a start that failed with this errno; 0: without one. */
const char *zygote_process_remedy(int sys);
