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

static int
on_timer(zloop_t *loop UNUSED, int timer UNUSED, void *arg)
{
    struct kernel *kernel = arg;

    if (is_orphan(&kernel->parent_poller)) {
        log_error("gone pid=%d", (int)kernel->parent_poller.launcher);
        shutdown_begin(kernel, 1);
    }
    return 0;
}

void
parent_poller_start(struct kernel *kernel)
{
    const char *text = getenv("JPY_PARENT_PID");
    pid_t launcher = text ? atoi(text) : 0;

    if (launcher <= 1)
        return;
    kernel->parent_poller = (struct parent_poller){launcher, getppid()};
    zloop_timer(kernel->loop, INTERVAL_MS, 0, on_timer, kernel);
}
