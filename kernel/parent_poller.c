#include "kernel/parent_poller.h"

#include "kernel/kernel.h"

#define LOG_COMPONENT "parent"
#include "common/log.h"

#define INTERVAL_MS 1000

/* With a wrapper in between only init as parent tells that somebody died. */
static bool
is_orphan(const struct parent_poller *poller)
{
    pid_t now = getppid();

    return poller->parent == poller->launcher ? now != poller->parent : now == 1;
}

static void
look(void *context)
{
    struct kernel *kernel = context;
    struct parent_poller *poller = &kernel->parent_poller;

    if (!is_orphan(poller)) {
        timer_set(&poller->timer, kernel->loop, INTERVAL_MS, look, kernel);
        return;
    }
    log_error("gone pid=%d", (int)poller->launcher);
    shutdown_leave(kernel, 1);
}

void
parent_poller_start(struct kernel *kernel)
{
    const char *text = getenv("JPY_PARENT_PID");
    pid_t launcher = text ? atoi(text) : 0;

    if (launcher <= 1)
        return;
    kernel->parent_poller.launcher = launcher;
    kernel->parent_poller.parent = getppid();
    timer_set(&kernel->parent_poller.timer, kernel->loop, INTERVAL_MS, look, kernel);
}

void
parent_poller_stop(struct parent_poller *poller)
{
    timer_cancel(&poller->timer);
}
