/*
 * process: other processes, by descriptor, so that a reused pid is never hit.
 */
#pragma once

#include <sys/types.h>

#include "common/error.h"

int process_open(pid_t pid, struct error *err) MUST_CHECK;
/* The process that connected this unix socket. */
int process_open_peer(int socket, struct error *err) MUST_CHECK;

/* Its pid as we see it, or -1 when it is gone or the descriptor is none of a process.
 */
pid_t process_pid(int pidfd);
/* Does the descriptor, which came from somebody untrusted, stand for a child of parent?
 */
bool process_is_child(int pidfd, pid_t parent);
bool process_is_alive(int pidfd);

void process_kill(int pidfd); /* SIGKILL; harmless when it is gone */
/* To the process group that it leads. */
int process_signal_group(int pidfd, int signal, struct error *err) MUST_CHECK;
