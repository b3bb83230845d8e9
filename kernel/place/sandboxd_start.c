#include "kernel/place/sandboxd_start.h"

#include "common/sandboxd_spawn.h"
#include "common/timer.h"

struct sandboxd_start {
    zloop_t *loop;
    int fd, patience_ms;
    struct timer timeout;
    sandboxd_started_fn *done;
    void *context;
    char said[SANDBOXD_SAID_BYTES];
    size_t len;
};

static void
release(struct sandboxd_start *start)
{
    zmq_pollitem_t item = {.fd = start->fd};

    zloop_poller_end(start->loop, &item);
    timer_cancel(&start->timeout);
    close(start->fd);
    free(start);
}

static void
finish(struct sandboxd_start *start, const struct error *err)
{
    sandboxd_started_fn *done = start->done;
    void *context = start->context;

    release(start);
    done(context, err);
}

static void
judge(struct sandboxd_start *start)
{
    struct error err;

    finish(start, sandboxd_spawn_judge(start->said, &err) < 0 ? &err : NULL);
}

static int
on_readable(zloop_t *loop UNUSED, zmq_pollitem_t *item, void *context)
{
    struct sandboxd_start *start = context;
    ssize_t got =
        read(item->fd, start->said + start->len, sizeof(start->said) - 1 - start->len);

    if (got < 0)
        return 0;
    start->len += (size_t)got;
    start->said[start->len] = '\0';
    if (got == 0 || strchr(start->said, '\n') || start->len == sizeof(start->said) - 1)
        judge(start);
    return 0;
}

static void
on_timeout(void *context)
{
    struct sandboxd_start *start = context;
    struct error err;

    error_format(&err, ERR_TIMEOUT, "cellpod-sandboxd did not listen within %d s",
                 start->patience_ms / 1000);
    finish(start, &err);
}

struct sandboxd_start *
sandboxd_start_await(zloop_t *loop, int ready, int patience_ms,
                     sandboxd_started_fn *done, void *context)
{
    struct sandboxd_start *start = xcalloc(1, sizeof(*start));

    *start = (struct sandboxd_start){.loop = loop,
                                     .fd = ready,
                                     .patience_ms = patience_ms,
                                     .done = done,
                                     .context = context};
    zmq_pollitem_t item = {.fd = start->fd, .events = ZMQ_POLLIN};
    zloop_poller(loop, &item, on_readable, start);
    zloop_poller_set_tolerant(loop, &item);
    timer_set(&start->timeout, loop, patience_ms, on_timeout, start);
    return start;
}

int
sandboxd_start(struct sandboxd_start **out, zloop_t *loop, const char *socket_path,
               sandboxd_started_fn *done, void *context, struct error *err)
{
    int ready;

    if (sandboxd_spawn(socket_path, &ready, err) < 0)
        return -1;
    *out = sandboxd_start_await(loop, ready, SANDBOXD_PATIENCE_MS, done, context);
    return 0;
}

void
sandboxd_start_cancel(struct sandboxd_start *start)
{
    if (start)
        release(start);
}
