/*
 * process: other processes, by descriptor, so that a reused pid is never hit.
 *
 * The descriptor is a pidfd. Where the kernel has none (gVisor), in a pod, it is the
 * process's folder in /proc, which names it, and its end is looked for now and then.
 */
#pragma once

#include <sys/types.h>

#include "common/error.h"
#include "sandbox/loop.h"

int process_open(pid_t pid, struct error *err) MUST_CHECK;
/* The process that connected this unix socket. */
int process_open_peer(int socket, struct error *err) MUST_CHECK;

/* Whose process that is; -1: not known. */
uid_t process_peer_user(int socket);

/* Its pid as we see it, or -1 when it is gone or the descriptor is none of a process.
 */
pid_t process_pid(int pidfd);
/* Does the descriptor, which came from somebody untrusted, stand for a child of parent?
 */
pid_t process_parent(int pidfd); /* -1 when not known */
bool process_is_child(int pidfd, pid_t parent);
bool process_is_alive(int pidfd);

void process_signal(int pidfd, int signal); /* harmless when it is gone */
void process_kill(int pidfd);               /* SIGKILL; harmless when it is gone */
/* To the process group that it leads. */
int process_signal_group(int pidfd, int signal, struct error *err) MUST_CHECK;

/* Waits for the end of a process; embedded in who waits. */
struct process_watch {
    void (*on_end)(void *context); /* once; the watch is over then */
    void *context;
    struct loop *loop;
    struct loop_watch watch;
    struct loop_timer timer;
    int fd; /* borrowed */
};

int process_watch_start(struct loop *loop, struct process_watch *watch, int pidfd,
                        struct error *err) MUST_CHECK;
void process_watch_stop(struct process_watch *watch); /* also when idle */
