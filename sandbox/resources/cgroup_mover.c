#include "sandbox/resources/cgroup_mover.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

enum {
    MAX_GROUPS = 4
};

/* What goes through the pipes: whole, because it is shorter than PIPE_BUF. */
struct order {
    uint64_t number;
    int fds[MAX_GROUPS], count;
    pid_t pid;
};

struct outcome {
    uint64_t number;
    int sys;
};

struct cgroup_mover {
    struct loop *loop;
    struct loop_watch watch;
    struct move *moves;
    uint64_t last;
    pthread_t thread;
    bool is_running;
    int orders[2], outcomes[2];
};

/* --- the thread --- */

static int
carry_out(const struct order *order)
{
    char text[32];
    int sys = 0, len = snprintf(text, sizeof(text), "%d", (int)order->pid);

    for (int i = 0; i < order->count; i++) {
        if (write(order->fds[i], text, (size_t)len) < 0 && !sys)
            sys = errno;
        close(order->fds[i]);
    }
    return sys;
}

static void *
run(void *argument)
{
    const struct cgroup_mover *mover = argument;
    struct order order;

    while (read(mover->orders[0], &order, sizeof(order)) == sizeof(order)) {
        struct outcome outcome = {order.number, carry_out(&order)};
        if (write(mover->outcomes[1], &outcome, sizeof(outcome)) < 0)
            break;
    }
    return NULL;
}

/* --- the loop --- */

static struct move *
take_move(struct cgroup_mover *mover, uint64_t number)
{
    for (struct move **at = &mover->moves; *at; at = &(*at)->next)
        if ((*at)->number == number) {
            struct move *move = *at;
            *at = move->next;
            move->number = 0;
            return move;
        }
    return NULL;
}

static void
on_outcome(void *context, uint32_t events UNUSED)
{
    struct cgroup_mover *mover = context;
    struct outcome outcome;

    if (read(mover->outcomes[0], &outcome, sizeof(outcome)) != sizeof(outcome))
        return;
    struct move *move = take_move(mover, outcome.number);
    if (move)
        move->on_done(move->context, outcome.sys);
}

void
cgroup_mover_start(struct cgroup_mover *mover, struct move *move, const int *fds,
                   int count, pid_t pid)
{
    struct order order = {.number = ++mover->last, .pid = pid};

    for (int i = 0; i < count; i++)
        order.fds[order.count++] = fds[i];
    move->number = order.number;
    move->next = mover->moves;
    mover->moves = move;
    /* A full pipe holds over a thousand orders; the thread is never that far behind. */
    if (write(mover->orders[1], &order, sizeof(order)) != sizeof(order))
        abort();
}

void
cgroup_mover_forget(struct cgroup_mover *mover, struct move *move)
{
    if (move->number)
        take_move(mover, move->number);
}

/* Signals are the loop's: it has them blocked, and a new thread inherits that. */
static int
start(struct cgroup_mover *mover, struct error *err)
{
    if (pipe2(mover->orders, O_CLOEXEC) < 0 || pipe2(mover->outcomes, O_CLOEXEC) < 0)
        return error_sys(err, "make a pipe");
    int sys = pthread_create(&mover->thread, NULL, run, mover);
    if (sys) {
        errno = sys;
        return error_sys(err, "start a thread");
    }
    mover->is_running = true;
    mover->watch = (struct loop_watch){
        .fd = mover->outcomes[0], .on_ready = on_outcome, .context = mover};
    return loop_watch_start(mover->loop, &mover->watch, EPOLLIN, err);
}

struct cgroup_mover *
cgroup_mover_new(struct loop *loop, struct error *err)
{
    AUTO(mover) struct cgroup_mover *mover = xcalloc(1, sizeof(*mover));

    *mover = (struct cgroup_mover){
        .loop = loop, .orders = {-1, -1},
             .outcomes = {-1, -1}
    };
    return start(mover, err) < 0 ? NULL : TAKE(mover);
}

void
cgroup_mover_free(struct cgroup_mover *mover)
{
    if (!mover)
        return;
    loop_watch_stop(mover->loop, &mover->watch);
    if (mover->orders[1] >= 0)
        close(take_fd(&mover->orders[1])); /* the thread ends */
    if (mover->is_running)
        pthread_join(mover->thread, NULL);
    for (int i = 0; i < 2; i++) {
        auto_fd(&mover->orders[i]);
        auto_fd(&mover->outcomes[i]);
    }
    free(mover);
}
