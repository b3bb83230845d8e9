#include "kernel/process/signals.h"

#include <signal.h>
#include <sys/signalfd.h>

static void
handled_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
}

void
signals_block(void)
{
    sigset_t set;

    handled_signals(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN); /* stderr may be a pipe that nobody reads */
    signal(SIGCHLD, SIG_IGN); /* no zombie of a sandboxd that we started */
}

static int
on_signal(zloop_t *loop UNUSED, zmq_pollitem_t *item, void *context)
{
    const struct signals_listener *listener = context;
    struct signalfd_siginfo info;

    if (read(item->fd, &info, sizeof(info)) != sizeof(info))
        return 0;
    if (info.ssi_signo == SIGINT)
        listener->on_interrupt(listener->context);
    else
        listener->on_terminate(listener->context);
    return 0;
}

int
signals_start(struct signals *signals, zloop_t *loop,
              const struct signals_listener *listener, struct error *err)
{
    sigset_t set;

    handled_signals(&set);
    signals->listener = *listener;
    signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals->fd < 0)
        return error_sys(err, "make a signalfd");
    zmq_pollitem_t item = {.fd = signals->fd, .events = ZMQ_POLLIN};
    zloop_poller(loop, &item, on_signal, &signals->listener);
    return 0;
}

void
signals_release(struct signals *signals)
{
    if (signals->fd >= 0)
        close(signals->fd);
    signals->fd = -1;
}
