/*
 * init: what process 1 of a sandbox does while its Python stands still.
 *
 * Waiting in here touches next to none of the memory that is shared with the zygote.
 * Init's messages are those of docs/sandbox-protocol.md, section 3. Called by ctypes.
 */
#pragma once

#include "sandbox/isolate/failure.h"

/* Once, before isolate_enter: what init and its workers share. */
int pid1_prepare(void) MUST_CHECK;
/* Once, after isolate_enter: reset signals, and see children end from now on. */
int pid1_begin(void) MUST_CHECK;

/* Reap and report until a message comes. Returns its length and *channel, the
 * descriptor that came beside it or -1. Does not return when the peer is gone. */
ssize_t pid1_await(int socket, char *message, size_t size, int *channel) MUST_CHECK;

/* In init: tell the peer of a new worker, and of its end when it comes. */
int pid1_report_start(int socket, pid_t worker) MUST_CHECK;

/* In a worker: once it is dead, this process goes on as the worker, or, if that has
 * ended too, the one that was named before it; 0: the last name is taken back. Takes
 * effect only for children of init. */
void pid1_name_successor(pid_t successor);

/* In the worker: own session, no descriptor but 0 to 2 and the channel, /proc/self its
 * own. SIGINT is ignored until the worker wants it. */
int pid1_begin_worker(int channel) MUST_CHECK;
