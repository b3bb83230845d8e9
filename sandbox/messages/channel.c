#include "sandbox/messages/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "common/limits.h"

enum {
    SCRATCH_BYTES = 256 << 10,
    READ_AHEAD = 64 << 10, /* above this, an envelope gets its own memory */
    LEAST_SHARE = 32 << 20,
};

struct outgoing {
    struct buffer bytes;
    int fd; /* travels beside the first byte; -1: none */
    struct outgoing *next;
};

struct channel {
    struct loop *loop;
    struct loop_watch watch;
    int fd;
    struct channel_ops ops;
    struct buffer partial; /* the start of one envelope */
    size_t needed;         /* of it, in total */
    bool paused, ended;
    bool *closed_flag; /* set by channel_free while we call out */
    struct outgoing *out, **out_last;
    size_t out_done; /* of the first */
};

/* One area for all channels: its bytes are used up before anything else is read. */
static char scratch[SCRATCH_BYTES];

static void on_ready(void *context, uint32_t events);

static uint32_t
wanted_events(const struct channel *c)
{
    return (c->paused || c->ended ? 0u : (uint32_t)EPOLLIN) |
           (c->out ? (uint32_t)EPOLLOUT : 0u);
}

/* A watch without EPOLLIN or EPOLLOUT still reports EPOLLHUP, over and over: then it
 * has to go. */
static void
update_watch(struct channel *c)
{
    uint32_t events = wanted_events(c);
    struct error err;

    if (!events)
        loop_watch_stop(c->loop, &c->watch);
    else if (c->watch.active)
        loop_watch_change(c->loop, &c->watch, events);
    else if (loop_watch_start(c->loop, &c->watch, events, &err) < 0)
        abort(); /* only for want of kernel memory */
}

struct channel *
channel_new(struct loop *loop, int fd, struct channel_ops ops, struct error *err)
{
    AUTO(channel) struct channel *c = xcalloc(1, sizeof(*c));

    *c = (struct channel){.loop = loop, .fd = fd, .ops = ops, .needed = 1};
    c->partial = (struct buffer)BUFFER_INIT(SIZE_MAX);
    c->out_last = &c->out;
    c->watch = (struct loop_watch){.fd = fd, .on_ready = on_ready, .context = c};
    if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
        return (void)error_sys(err, "make a channel"), NULL;
    if (loop_watch_start(loop, &c->watch, EPOLLIN, err) < 0)
        return NULL;
    return TAKE(c);
}

static void
drop_first_out(struct channel *c)
{
    struct outgoing *first = c->out;

    c->out = first->next;
    if (!c->out)
        c->out_last = &c->out;
    c->out_done = 0;
    buffer_release(&first->bytes);
    auto_fd(&first->fd);
    free(first);
}

int
channel_pair(struct channel **out, struct loop *loop, struct channel_ops ops,
             struct error *err)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return error_sys(err, "make a channel");
    AUTO(fd) int theirs = ends[1];
    *out = channel_new(loop, ends[0], ops, err);
    return *out ? take_fd(&theirs) : -1;
}

void
channel_free(struct channel *c)
{
    if (!c)
        return;
    if (c->closed_flag)
        *c->closed_flag = true;
    loop_watch_stop(c->loop, &c->watch);
    close(c->fd);
    while (c->out)
        drop_first_out(c);
    buffer_release(&c->partial);
    free(c);
}

void
channel_pause(struct channel *c, bool paused)
{
    c->paused = paused;
    update_watch(c);
}

void
channel_refuse_more(struct channel *c)
{
    shutdown(c->fd, SHUT_RD);
}

/* --- in --- */

size_t
channel_share(uint64_t memory_bytes)
{
    const uint64_t share = memory_bytes / 8;

    return share < LEAST_SHARE            ? LEAST_SHARE
           : share > LIMIT_ENVELOPE_BYTES ? LIMIT_ENVELOPE_BYTES
                                          : (size_t)share;
}

/* Of the whole, which `len` bytes are, or `needed` at least are wanted for. */
static bool
is_too_long(const struct channel *c, ssize_t len, struct error *err)
{
    size_t bytes = len ? (size_t)len : c->needed;

    if (bytes <= c->ops.most_bytes + LIMIT_ENVELOPE_LINE + 1)
        return false;
    error_format(err, ERR_BAD_INPUT, "an envelope of %zu bytes; the limit is %zu",
                 bytes, c->ops.most_bytes);
    return true;
}

static void
end(struct channel *c, const struct error *err)
{
    if (c->ended)
        return;
    c->ended = true;
    update_watch(c);
    c->ops.on_end(c->ops.context, err);
}

/* Deliver the complete envelopes at the front of bytes. Returns how much of it was
 * used, or -1 when the channel was closed or has ended. */
static ssize_t
deliver(struct channel *c, struct slice bytes, char **memory)
{
    bool closed = false;
    size_t used = 0;

    c->closed_flag = &closed;
    while (used < bytes.len) {
        AUTO(envelope) struct envelope e = ENVELOPE_INIT;
        struct error err;
        ssize_t len = envelope_parse(
            (struct slice){bytes.data + used, bytes.len - used}, &e, &c->needed, &err);
        if (len >= 0 && is_too_long(c, len, &err))
            len = -1;
        if (len == 0)
            break;
        if (len < 0)
            end(c, &err);
        else
            c->ops.on_envelope(c->ops.context, &e, memory);
        if (closed)
            return -1;
        if (len < 0 || c->ended) {
            c->closed_flag = NULL;
            return -1;
        }
        used += (size_t)len;
        c->needed = 1;
    }
    c->closed_flag = NULL;
    return (ssize_t)used;
}

static void
keep_rest(struct channel *c, struct slice rest)
{
    buffer_reserve(&c->partial, c->needed > rest.len ? c->needed : rest.len);
    buffer_append(&c->partial, rest.data, rest.len);
}

static void
take_fresh(struct channel *c, size_t got)
{
    ssize_t used = deliver(c, (struct slice){scratch, got}, NULL);

    if (used >= 0 && (size_t)used < got)
        keep_rest(c, (struct slice){scratch + used, got - (size_t)used});
}

static void
take_partial(struct channel *c, size_t got)
{
    buffer_advance(&c->partial, got);
    if (c->partial.len < c->needed)
        return;
    AUTO(buffer) struct buffer bytes = c->partial;
    bool own = bytes.len == c->needed;
    c->partial = (struct buffer)BUFFER_INIT(SIZE_MAX);
    ssize_t used = deliver(c, buffer_slice(&bytes), own ? &bytes.data : NULL);
    if (used >= 0 && (size_t)used < bytes.len)
        keep_rest(c, (struct slice){bytes.data + used, bytes.len - (size_t)used});
}

/* A large envelope is read to its end and no further, so that its memory holds nothing
 * else. */
static char *
room_for_partial(struct channel *c, size_t *want)
{
    *want = c->needed > READ_AHEAD ? c->needed - c->partial.len : READ_AHEAD;
    return buffer_reserve(&c->partial, *want);
}

static void
read_some(struct channel *c)
{
    bool fresh = c->partial.len == 0;
    size_t want = sizeof(scratch);
    char *room = fresh ? scratch : room_for_partial(c, &want);
    ssize_t got = recv(c->fd, room, want, MSG_DONTWAIT);
    struct error err;

    if (got > 0 && fresh)
        take_fresh(c, (size_t)got);
    else if (got > 0)
        take_partial(c, (size_t)got);
    else if (got == 0 || errno == ECONNRESET)
        end(c, NULL);
    else if (errno != EAGAIN && errno != EINTR)
        (void)error_sys(&err, "read"), end(c, &err);
}

/* --- out --- */

static ssize_t
send_first(int socket, const struct outgoing *out)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control = {.bytes = {0}};
    struct iovec data = {out->bytes.data, out->bytes.len};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};

    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.header), &out->fd, sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static ssize_t
send_more(struct channel *c)
{
    struct slice bytes = buffer_slice(&c->out->bytes);

    if (c->out_done == 0 && c->out->fd >= 0)
        return send_first(c->fd, c->out);
    return send(c->fd, bytes.data + c->out_done, bytes.len - c->out_done,
                MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void
write_some(struct channel *c)
{
    while (c->out) {
        ssize_t sent = send_more(c);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN)
            break;
        if (sent < 0) {
            drop_first_out(c); /* the reading side sees the end and tells it */
            continue;
        }
        c->out_done += (size_t)sent;
        if (c->out_done == c->out->bytes.len)
            drop_first_out(c);
    }
    update_watch(c);
}

void
channel_send(struct channel *c, struct buffer *bytes)
{
    channel_send_with(c, bytes, -1);
}

void
channel_send_with(struct channel *c, struct buffer *bytes, int fd)
{
    struct outgoing *out = xcalloc(1, sizeof(*out));
    bool was_idle = !c->out;

    out->fd = fd;
    out->bytes = *bytes;
    *bytes = (struct buffer)BUFFER_INIT(bytes->max);
    *c->out_last = out;
    c->out_last = &out->next;
    if (was_idle)
        write_some(c);
}

static void
on_ready(void *context, uint32_t events)
{
    struct channel *c = context;
    bool readable = events & (EPOLLIN | EPOLLHUP | EPOLLERR);

    if (events & (EPOLLOUT | EPOLLERR | EPOLLHUP))
        write_some(c);
    if (readable && !c->paused && !c->ended)
        read_some(c);
}
