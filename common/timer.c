#include "common/timer.h"

/* All that are set. A loop stays in the thread that made it, and so do its timers. */
static _Thread_local LIST_HEAD(, timer) set = LIST_HEAD_INITIALIZER(set);

/* By its number, never by a pointer given to zloop: the owner may be freed. */
static struct timer *
find(const zloop_t *loop, int id)
{
    struct timer *timer;

    LIST_FOREACH (timer, &set, link)
        if (timer->loop == loop && timer->id == id)
            return timer;
    return NULL;
}

static int
on_zloop_timer(zloop_t *loop, int id, void *context UNUSED)
{
    struct timer *timer = find(loop, id);

    if (!timer)
        return 0;
    timer_cancel(timer);
    timer->on_due(timer->context);
    return 0;
}

void
timer_set(struct timer *timer, zloop_t *loop, int64_t after_ms, timer_due_fn *on_due,
          void *context)
{
    timer_cancel(timer);
    timer->loop = loop;
    timer->on_due = on_due;
    timer->context = context;
    timer->id =
        zloop_timer(loop, after_ms < 0 ? 0 : (size_t)after_ms, 1, on_zloop_timer, NULL);
    LIST_INSERT_HEAD(&set, timer, link);
}

void
timer_cancel(struct timer *timer)
{
    if (!timer_is_set(timer))
        return;
    LIST_REMOVE(timer, link);
    zloop_timer_end(timer->loop, timer->id);
    timer->loop = NULL;
}

static int
end_loop(zloop_t *loop UNUSED, int id UNUSED, void *context UNUSED)
{
    return -1;
}

void
timer_end_loop(zloop_t *loop)
{
    zloop_timer(loop, 0, 1, end_loop, NULL);
}
