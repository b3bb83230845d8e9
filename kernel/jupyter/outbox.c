#include "kernel/jupyter/outbox.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <zmq.h>

struct outbox {
    atomic_size_t waiting;
    atomic_bool
        is_full; /* outbox_is_full said so, and its caller waits for the descriptor */
    size_t max_bytes;
    int fd;
};

/* One message on its way, with its bytes behind. */
struct parcel {
    struct outbox *outbox;
    size_t counted;
    char bytes[];
};

int
outbox_new(struct outbox **out, size_t max_bytes, struct error *err)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    if (fd < 0)
        return error_sys(err, "make an eventfd");
    *out = xcalloc(1, sizeof(**out));
    (*out)->max_bytes = max_bytes;
    (*out)->fd = fd;
    return 0;
}

void
outbox_free(struct outbox *outbox)
{
    if (!outbox)
        return;
    close(outbox->fd);
    free(outbox);
}

/* Half empty is early enough to wake up, and seldom enough. */
static bool
has_room(struct outbox *outbox)
{
    return atomic_load(&outbox->waiting) <= outbox->max_bytes / 2;
}

bool
outbox_is_full(struct outbox *outbox)
{
    if (atomic_load(&outbox->waiting) < outbox->max_bytes)
        return false;
    atomic_store(&outbox->is_full, true);
    /* Messages that left between the look and the mark woke no reader. */
    return !has_room(outbox) || !atomic_exchange(&outbox->is_full, false);
}

int
outbox_fd(const struct outbox *outbox)
{
    return outbox->fd;
}

void
outbox_clear_fd(struct outbox *outbox)
{
    eventfd_t count;

    (void)!eventfd_read(outbox->fd, &count);
}

/* Called by ZeroMQ's thread. */
static void
let_go(void *data UNUSED, void *hint)
{
    struct parcel *parcel = hint;
    struct outbox *outbox = parcel->outbox;

    atomic_fetch_sub(&outbox->waiting, parcel->counted);
    free(parcel);
    if (has_room(outbox) && atomic_exchange(&outbox->is_full, false))
        (void)!eventfd_write(outbox->fd, 1);
}

bool
outbox_send(struct outbox *outbox, void *socket, struct slice frame, size_t overhead,
            bool more)
{
    struct parcel *parcel = xcalloc(1, sizeof(*parcel) + frame.len);
    zmq_msg_t message;
    int sent;

    *parcel = (struct parcel){outbox, frame.len + overhead};
    memcpy(parcel->bytes, frame.data, frame.len);
    atomic_fetch_add(&outbox->waiting, parcel->counted);
    zmq_msg_init_data(&message, parcel->bytes, frame.len, let_go, parcel);
    do
        sent = zmq_msg_send(&message, socket, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0));
    while (sent < 0 && errno == EINTR);
    if (sent < 0)
        zmq_msg_close(&message);
    return sent >= 0;
}
