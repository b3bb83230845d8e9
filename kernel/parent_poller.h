/*
 * parent_poller: ends the kernel and its sandbox when the server that started it dies.
 */
#pragma once

#include <sys/types.h>

#include "common/timer.h"

struct kernel;

struct parent_poller {
    pid_t launcher;     /* 0: none to watch */
    pid_t parent;       /* at start; a wrapper may stand between it and us */
    struct timer timer; /* where there are no pidfds */
    zloop_t *loop;      /* NULL: `pidfd` is not watched */
    int pidfd;          /* of our parent now; -1: there is none */
};

/* Reads JPY_PARENT_PID. */
void parent_poller_start(struct kernel *kernel);
void parent_poller_stop(struct parent_poller *poller); /* also when not started */
