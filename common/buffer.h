/*
 * buffer: bytes that grow at the end, up to a stated maximum.
 *
 * A buffer cannot be made without its maximum. Appending past it fails and changes
 * nothing; program-sized text may ignore the result where the maximum is SIZE_MAX.
 */
#pragma once

#include "common/error.h"

struct buffer {
    char *data; /* NULL while empty; else data[len] is '\0' */
    size_t len, capacity, max;
};

#define BUFFER_INIT(maximum)   \
    {                          \
        NULL, 0, 0, (maximum), \
    }

void buffer_release(struct buffer *buffer);
void buffer_clear(struct buffer *buffer); /* keeps the storage */

/* Each returns 0, or -1 when the maximum would be passed. */
int buffer_append(struct buffer *buffer, const void *data, size_t len);
int buffer_append_text(struct buffer *buffer, const char *text);
int buffer_printf(struct buffer *buffer, const char *fmt, ...) PRINTF(2, 3);

/* The text as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
int buffer_append_json_string(struct buffer *buffer, struct slice text);

/* Room for len more bytes, written by the caller before buffer_advance; NULL as above.
 */
char *buffer_reserve(struct buffer *buffer, size_t len);
void buffer_advance(struct buffer *buffer, size_t len);

/* Drop bytes from the front. */
void buffer_consume(struct buffer *buffer, size_t len);

static inline struct slice
buffer_slice(const struct buffer *buffer)
{
    return (struct slice){buffer->data ? buffer->data : "", buffer->len};
}

static inline void
auto_buffer(struct buffer *buffer)
{
    buffer_release(buffer);
}
