/*
 * pulse: whether a sandboxd on another machine answers while a cell waits for it.
 *
 * A quiet cell and a node that is gone look the same on a stream of events. So, while
 * something runs, sandboxd is asked for its health every other second. Nothing is asked
 * while nothing runs, nor of a sandboxd on this machine, whose end is noticed at once.
 */
#pragma once

#include "common/timer.h"
#include "kernel/client/sandbox_link.h"

#define PULSE_TOLD_S 4  /* until it counts as silent */
#define PULSE_LOST_S 60 /* until it counts as lost */

struct pulse_owner {
    void (*on_silent)(void *context, bool is_silent); /* it is; it is no longer */
    void (*on_lost)(void *context);                   /* the pulse is stopped */
    void *context;
};

struct pulse {
    zloop_t *loop;
    const struct sandbox_link *link;
    struct pulse_owner owner;
    struct http_call *call;
    struct timer next;
    int64_t heard; /* the last sign of life */
    bool is_on, is_silent;
};

void pulse_init(struct pulse *pulse, zloop_t *loop, const struct sandbox_link *link,
                const struct pulse_owner *owner);
void pulse_start(struct pulse *pulse); /* also when it has been started */
void pulse_stop(struct pulse *pulse);
/* Something came from sandboxd. */
void pulse_hear(struct pulse *pulse);
