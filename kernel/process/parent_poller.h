/*
 * parent_poller: notices that the server which started this process has died.
 */
#pragma once

#include <sys/types.h>

#include "common/timer.h"

struct parent_poller {
    pid_t launcher;     /* 0: none to watch */
    pid_t parent;       /* at start; a wrapper may stand between it and us */
    struct timer timer; /* where there are no pidfds */
    zloop_t *loop;      /* NULL: nothing is watched */
    int pidfd;          /* of our parent now; -1: there is none */
    void (*on_gone)(void *context);
    void *context;
};

/* Reads JPY_PARENT_PID. */
void parent_poller_start(struct parent_poller *poller, zloop_t *loop,
                         void (*on_gone)(void *context), void *context);
void parent_poller_stop(struct parent_poller *poller); /* also when not started */
