#include "kernel/process/parent_poller.h"

#include <sys/syscall.h>

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

static void watch_parent(struct parent_poller *poller, zloop_t *loop);

static void
look(void *context)
{
    struct parent_poller *poller = context;
    zloop_t *loop = poller->loop;

    parent_poller_stop(poller);
    if (!is_orphan(poller)) {
        watch_parent(poller, loop);
        return;
    }
    log_error("gone pid=%d", (int)poller->launcher);
    poller->on_gone(poller->context);
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
watch_parent(struct parent_poller *poller, zloop_t *loop)
{
    const pid_t parent = getppid();

    poller->pidfd = (int)syscall(SYS_pidfd_open, parent, 0);
    poller->loop = loop;
    zmq_pollitem_t item = {.fd = poller->pidfd, .events = ZMQ_POLLIN};
    if (poller->pidfd < 0)
        timer_set(&poller->timer, loop, INTERVAL_MS, look, poller);
    else if (getppid() != parent)
        timer_set(&poller->timer, loop, 0, look, poller);
    else
        zloop_poller(loop, &item, on_parent_ended, poller);
}

void
parent_poller_start(struct parent_poller *poller, zloop_t *loop,
                    void (*on_gone)(void *context), void *context)
{
    const char *text = getenv("JPY_PARENT_PID");
    pid_t launcher = text ? atoi(text) : 0;

    if (launcher <= 1)
        return;
    poller->launcher = launcher;
    poller->parent = getppid();
    poller->on_gone = on_gone;
    poller->context = context;
    watch_parent(poller, loop);
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
