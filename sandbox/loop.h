/*
 * loop: one epoll set, timers, and nothing that blocks.
 *
 * Watches and timers are embedded in what they serve and may be stopped at any time,
 * also from a handler of the same pass: a stopped one is never called again. A thing is
 * freed only after its watches and timers were stopped.
 */
#pragma once

#include <sys/epoll.h>

#include "common/error.h"

struct loop;

typedef void (*loop_ready_fn)(void *context, uint32_t events);
typedef void (*loop_due_fn)(void *context);
/* Called before each wait; returns for how long the wait may last, -1 for ever. */
typedef int (*loop_prepare_fn)(void *context);

struct loop_watch {
    int fd; /* borrowed */
    uint32_t events;
    loop_ready_fn on_ready;
    void *context;
    bool active;
};

struct loop_timer {
    loop_due_fn on_due;
    void *context;
    int64_t due_ms;
    struct loop_timer *next;
    bool active;
};

struct loop *loop_new(struct error *err) MUST_CHECK;
void loop_free(struct loop *loop);
void loop_on_prepare(struct loop *loop, loop_prepare_fn prepare, void *context);

/* Runs until loop_stop; may be run again. */
int loop_run(struct loop *loop, struct error *err) MUST_CHECK;
void loop_stop(struct loop *loop);

int loop_watch_start(struct loop *loop, struct loop_watch *watch, uint32_t events,
                     struct error *err) MUST_CHECK;
void loop_watch_change(struct loop *loop, struct loop_watch *watch, uint32_t events);
void loop_watch_stop(struct loop *loop, struct loop_watch *watch); /* also when idle */

/* Setting a timer that is set moves it. A delay of 0 means: after this pass. */
void loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t delay_ms);
void loop_timer_cancel(struct loop *loop, struct loop_timer *timer);

int64_t loop_now_ms(void); /* monotonic */

static inline void
auto_loop(struct loop **loop)
{
    loop_free(*loop);
}
