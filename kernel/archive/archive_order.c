#include "kernel/archive/archive_order.h"

static struct slice
copy_in(struct buffer *bytes, struct slice given)
{
    const char *at = bytes->data + bytes->len; /* there is room: no move */

    buffer_append(bytes, given.data, given.len);
    buffer_append(bytes, "", 1);
    return (struct slice){at, given.len};
}

struct archive_order *
archive_order_new(enum archive_task task, const struct slice names[2],
                  const struct slice parts[ARCHIVE_PARTS])
{
    struct archive_order *order = xcalloc(1, sizeof(*order));
    size_t size = names[0].len + names[1].len + 2 + ARCHIVE_PARTS;

    for (size_t i = 0; i < ARCHIVE_PARTS; i++)
        size += parts[i].len;
    order->task = task;
    order->bytes = (struct buffer)BUFFER_INIT(SIZE_MAX);
    buffer_reserve(&order->bytes, size);
    order->sandbox = copy_in(&order->bytes, names[0]);
    order->request = copy_in(&order->bytes, names[1]);
    for (size_t i = 0; i < ARCHIVE_PARTS; i++)
        order->parts[i] = copy_in(&order->bytes, parts[i]);
    return order;
}

void
archive_order_free(struct archive_order *order)
{
    if (!order)
        return;
    buffer_release(&order->bytes);
    free(order);
}

size_t
archive_order_size(const struct archive_order *order)
{
    return sizeof(*order) + order->bytes.capacity;
}
