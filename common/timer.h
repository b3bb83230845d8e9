/*
 * timer: something that happens once, later, on a zloop.
 *
 * Embed one in its owner; all zeroes is a timer that is not set. A timer may be set and
 * cancelled at any moment, also from a handler of the same pass and from its own. Once
 * cancelled, it is never called. zloop alone does not promise that: it still fires a
 * timer that an earlier handler of the pass has ended. So no other code may call
 * zloop_timer; `make check` enforces that. An owner cancels its timers before it is
 * freed, and before the loop is.
 *
 * For the programs that run on czmq's loop; sandboxd uses the timers of sandbox/loop.h.
 */
#pragma once

#include <czmq.h>
#include <sys/queue.h>

#include "common/base.h"

typedef void timer_due_fn(void *context);

struct timer {
    LIST_ENTRY(timer) link; /* while it is set */
    zloop_t *loop;          /* NULL: it is not set */
    int id;                 /* zloop's */
    timer_due_fn *on_due;
    void *context;
};

/* Sets a timer, or moves one that is set. It fires once, from the loop, even after 0 ms
 * (or less, which counts as 0); when on_due is called, it is no longer set. */
void timer_set(struct timer *timer, zloop_t *loop, int64_t after_ms,
               timer_due_fn *on_due, void *context);
void timer_cancel(struct timer *timer); /* also one that is not set */

static inline bool
timer_is_set(const struct timer *timer)
{
    return timer->loop != NULL;
}

/* From a handler or before the loop starts: zloop_start returns soon. */
void timer_end_loop(zloop_t *loop);
