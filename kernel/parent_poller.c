#include "kernel/parent_poller.h"

#include <sys/syscall.h>

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

static void watch_parent(struct kernel *kernel);

static void
look(void *context)
{
    struct kernel *kernel = context;
    struct parent_poller *poller = &kernel->parent_poller;

    parent_poller_stop(poller);
    if (!is_orphan(poller)) {
        watch_parent(kernel);
        return;
    }
    log_error("gone pid=%d", (int)poller->launcher);
    shutdown_leave(kernel, 1);
}

static int
on_parent_ended(zloop_t *loop UNUSED, zmq_pollitem_t *item UNUSED, void *context)
{
    look(context);
    return 0;
}

/* It wakes nobody while the parent lives; where there are no pidfds (gVisor) we look
 * again and again. A parent that ended before it was opened is not ours any more. */
static void
watch_parent(struct kernel *kernel)
{
    struct parent_poller *poller = &kernel->parent_poller;
    const pid_t parent = getppid();

    poller->pidfd = (int)syscall(SYS_pidfd_open, parent, 0);
    poller->loop = kernel->loop;
    zmq_pollitem_t item = {.fd = poller->pidfd, .events = ZMQ_POLLIN};
    if (poller->pidfd < 0)
        timer_set(&poller->timer, kernel->loop, INTERVAL_MS, look, kernel);
    else if (getppid() != parent)
        timer_set(&poller->timer, kernel->loop, 0, look, kernel);
    else
        zloop_poller(kernel->loop, &item, on_parent_ended, kernel);
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
    watch_parent(kernel);
}

void
parent_poller_stop(struct parent_poller *poller)
{
    timer_cancel(&poller->timer);
    if (!poller->loop)
        return;
    zmq_pollitem_t item = {.fd = poller->pidfd, .events = ZMQ_POLLIN};
    if (poller->pidfd >= 0) {
        zloop_poller_end(poller->loop, &item);
        close(poller->pidfd);
    }
    poller->loop = NULL;
}
