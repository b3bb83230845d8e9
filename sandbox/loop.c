#include "sandbox/loop.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <time.h>

enum {
    EVENTS_AT_ONCE = 64
};

struct loop {
    int epoll;
    bool stopped;
    struct loop_timer *timers; /* sorted by due_ms */
    loop_prepare_fn prepare;
    void *prepare_context;
    struct epoll_event batch[EVENTS_AT_ONCE];
    int batch_count;
};

int64_t
loop_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct loop *
loop_new(struct error *err)
{
    AUTO(loop) struct loop *loop = xcalloc(1, sizeof(*loop));

    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (loop->epoll < 0)
        return (void)error_sys(err, "make an epoll set"), NULL;
    return TAKE(loop);
}

void
loop_free(struct loop *loop)
{
    if (!loop)
        return;
    if (loop->epoll >= 0)
        close(loop->epoll);
    free(loop);
}

void
loop_on_prepare(struct loop *loop, loop_prepare_fn prepare, void *context)
{
    loop->prepare = prepare;
    loop->prepare_context = context;
}

void
loop_stop(struct loop *loop)
{
    loop->stopped = true;
}

int
loop_watch_start(struct loop *loop, struct loop_watch *watch, uint32_t events,
                 struct error *err)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};

    assert(!watch->active);
    if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, watch->fd, &event) < 0)
        return error_sys(err, "watch a descriptor");
    watch->events = events;
    watch->active = true;
    return 0;
}

void
loop_watch_change(struct loop *loop, struct loop_watch *watch, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};

    if (!watch->active || watch->events == events)
        return;
    watch->events = events;
    if (epoll_ctl(loop->epoll, EPOLL_CTL_MOD, watch->fd, &event) < 0)
        abort(); /* the descriptor was closed under its watch */
}

void
loop_watch_stop(struct loop *loop, struct loop_watch *watch)
{
    if (!watch->active)
        return;
    watch->active = false;
    epoll_ctl(loop->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
    for (int i = 0; i < loop->batch_count; i++)
        if (loop->batch[i].data.ptr == watch)
            loop->batch[i].data.ptr = NULL;
}

void
loop_timer_cancel(struct loop *loop, struct loop_timer *timer)
{
    if (!timer->active)
        return;
    for (struct loop_timer **at = &loop->timers; *at; at = &(*at)->next)
        if (*at == timer) {
            *at = timer->next;
            break;
        }
    timer->active = false;
}

void
loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t delay_ms)
{
    struct loop_timer **at = &loop->timers;

    loop_timer_cancel(loop, timer);
    timer->due_ms = loop_now_ms() + delay_ms;
    timer->active = true;
    while (*at && (*at)->due_ms <= timer->due_ms)
        at = &(*at)->next;
    timer->next = *at;
    *at = timer;
}

/* Timers that a handler sets for "at once" wait for the next pass: no starvation. */
static void
fire_timers(struct loop *loop)
{
    int64_t now = loop->timers ? loop_now_ms() : 0;

    for (int budget = EVENTS_AT_ONCE; budget > 0; budget--) {
        struct loop_timer *timer = loop->timers;
        if (!timer || timer->due_ms > now)
            return;
        loop_timer_cancel(loop, timer);
        timer->on_due(timer->context);
    }
}

static int
wait_ms(struct loop *loop)
{
    int64_t until_timer = -1;
    int wanted = loop->prepare ? loop->prepare(loop->prepare_context) : -1;

    if (loop->timers) {
        until_timer = loop->timers->due_ms - loop_now_ms();
        until_timer = until_timer < 0         ? 0
                      : until_timer > INT_MAX ? INT_MAX
                                              : until_timer;
    }
    if (wanted < 0 || (until_timer >= 0 && until_timer < wanted))
        return (int)until_timer;
    return wanted;
}

static void
dispatch(struct loop *loop)
{
    for (int i = 0; i < loop->batch_count; i++) {
        struct loop_watch *watch = loop->batch[i].data.ptr;
        if (watch)
            watch->on_ready(watch->context, loop->batch[i].events);
    }
    loop->batch_count = 0;
}

int
loop_run(struct loop *loop, struct error *err)
{
    loop->stopped = false;
    while (!loop->stopped) {
        int timeout = wait_ms(loop);
        if (loop->stopped)
            break;
        int count = epoll_wait(loop->epoll, loop->batch, EVENTS_AT_ONCE, timeout);
        if (count < 0 && errno != EINTR)
            return error_sys(err, "wait for events");
        loop->batch_count = count < 0 ? 0 : count;
        dispatch(loop);
        fire_timers(loop);
    }
    return 0;
}
