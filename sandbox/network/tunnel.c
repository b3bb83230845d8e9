#include "sandbox/network/tunnel.h"

#include <assert.h>
#include <errno.h>
#include <sys/socket.h>

/* From one end to the other. */
struct way {
    char bytes[TUNNEL_BYTES];
    size_t start, len; /* what waits: bytes[start] on */
    uint64_t passed;
    bool has_ended; /* the source has said its last */
    bool is_closed; /* and the sink knows */
};

struct end {
    struct tunnel *tunnel;
    int fd;
    struct loop_watch watch;
};

struct tunnel {
    struct loop *loop;
    struct end ends[2];
    struct way ways[2]; /* from ends[i] */
    struct loop_timer timer;
    int64_t idle_ms, moved_ms;
    void (*on_end)(void *context);
    void *context;
};

static bool
is_for_later(void)
{
    return errno == EAGAIN || errno == EINTR;
}

/* Each returns -1 when the connection is broken. */
static int
fill(struct tunnel *tunnel, int from)
{
    struct way *way = &tunnel->ways[from];

    if (way->len || way->has_ended)
        return 0;
    ssize_t got = recv(tunnel->ends[from].fd, way->bytes, sizeof(way->bytes), 0);
    if (got < 0)
        return is_for_later() ? 0 : -1;
    way->start = 0;
    way->len = (size_t)got;
    way->passed += (uint64_t)got;
    way->has_ended = got == 0;
    tunnel->moved_ms = loop_now_ms();
    return 0;
}

static int
drain(struct tunnel *tunnel, int from)
{
    struct way *way = &tunnel->ways[from];
    int sink = tunnel->ends[!from].fd;

    if (way->len) {
        ssize_t put = send(sink, way->bytes + way->start, way->len, MSG_NOSIGNAL);
        if (put < 0)
            return is_for_later() ? 0 : -1;
        way->start += (size_t)put;
        way->len -= (size_t)put;
        tunnel->moved_ms = loop_now_ms();
    }
    if (!way->len && way->has_ended && !way->is_closed) {
        way->is_closed = true;
        if (shutdown(sink, SHUT_WR) < 0)
            return -1;
    }
    return 0;
}

/* epoll reports a hang-up even for a descriptor that waits for no events, so such a
 * descriptor is not watched. */
static int
watch(struct tunnel *tunnel, int which)
{
    struct end *end = &tunnel->ends[which];
    const struct way *from = &tunnel->ways[which], *to = &tunnel->ways[!which];
    uint32_t events =
        (from->len || from->has_ended ? 0u : EPOLLIN) | (to->len ? EPOLLOUT : 0u);
    struct error err;

    if (!events) {
        loop_watch_stop(tunnel->loop, &end->watch);
        return 0;
    }
    if (end->watch.active) {
        loop_watch_change(tunnel->loop, &end->watch, events);
        return 0;
    }
    return loop_watch_start(tunnel->loop, &end->watch, events, &err);
}

static bool
is_over(const struct tunnel *tunnel)
{
    return tunnel->ways[0].is_closed && tunnel->ways[1].is_closed;
}

static void
on_end_ready(void *context, uint32_t events UNUSED)
{
    struct end *end = context;
    struct tunnel *tunnel = end->tunnel;

    for (int from = 0; from < 2; from++)
        if (fill(tunnel, from) < 0 || drain(tunnel, from) < 0) {
            tunnel->on_end(tunnel->context);
            return;
        }
    if (is_over(tunnel) || watch(tunnel, 0) < 0 || watch(tunnel, 1) < 0)
        tunnel->on_end(tunnel->context);
}

static void
on_timer(void *context)
{
    struct tunnel *tunnel = context;
    int64_t left = tunnel->moved_ms + tunnel->idle_ms - loop_now_ms();

    if (left > 0)
        loop_timer_set(tunnel->loop, &tunnel->timer, left);
    else
        tunnel->on_end(tunnel->context);
}

static void
on_start(void *context)
{
    struct tunnel *tunnel = context;

    tunnel->timer.on_due = on_timer;
    loop_timer_set(tunnel->loop, &tunnel->timer, tunnel->idle_ms);
    on_end_ready(&tunnel->ends[0], 0);
}

struct tunnel *
tunnel_new(const struct tunnel_spec *spec)
{
    struct tunnel *tunnel = xcalloc(1, sizeof(*tunnel));

    tunnel->loop = spec->loop;
    tunnel->idle_ms = spec->idle_ms;
    tunnel->moved_ms = loop_now_ms();
    tunnel->on_end = spec->on_end;
    tunnel->context = spec->context;
    for (int i = 0; i < 2; i++) {
        assert(spec->waiting[i].len <= TUNNEL_BYTES);
        if (spec->waiting[i].len)
            memcpy(tunnel->ways[i].bytes, spec->waiting[i].data, spec->waiting[i].len);
        tunnel->ways[i].len = spec->waiting[i].len;
        tunnel->ends[i] = (struct end){.tunnel = tunnel, .fd = spec->ends[i]};
        tunnel->ends[i].watch = (struct loop_watch){
            .fd = spec->ends[i], .on_ready = on_end_ready, .context = &tunnel->ends[i]};
    }
    tunnel->timer = (struct loop_timer){.on_due = on_start, .context = tunnel};
    loop_timer_set(spec->loop, &tunnel->timer, 0);
    return tunnel;
}

void
tunnel_free(struct tunnel *tunnel)
{
    if (!tunnel)
        return;
    loop_timer_cancel(tunnel->loop, &tunnel->timer);
    for (int i = 0; i < 2; i++) {
        loop_watch_stop(tunnel->loop, &tunnel->ends[i].watch);
        close(tunnel->ends[i].fd);
    }
    free(tunnel);
}

uint64_t
tunnel_passed(const struct tunnel *tunnel, int from)
{
    return tunnel->ways[from].passed;
}
