#include "common/buffer.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/utf8.h"

void
buffer_release(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer)BUFFER_INIT(buffer->max);
}

void
buffer_clear(struct buffer *buffer)
{
    buffer->len = 0;
    if (buffer->data)
        buffer->data[0] = '\0';
}

char *
buffer_reserve(struct buffer *buffer, size_t len)
{
    if (buffer->max - buffer->len < len)
        return NULL;
    if (buffer->capacity - buffer->len < len + 1) {
        size_t wanted = buffer->len + len + 1;
        size_t doubled = buffer->capacity * 2;
        buffer->capacity = wanted > doubled ? wanted : doubled;
        buffer->data = xrealloc(buffer->data, buffer->capacity);
    }
    return buffer->data + buffer->len;
}

void
buffer_advance(struct buffer *buffer, size_t len)
{
    buffer->len += len;
    buffer->data[buffer->len] = '\0';
}

int
buffer_append(struct buffer *buffer, const void *data, size_t len)
{
    char *end = buffer_reserve(buffer, len);

    if (!end)
        return -1;
    if (len)
        memcpy(end, data, len);
    buffer_advance(buffer, len);
    return 0;
}

int
buffer_append_text(struct buffer *buffer, const char *text)
{
    return buffer_append(buffer, text, strlen(text));
}

int
buffer_printf(struct buffer *buffer, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    AUTO(mem) char *text = xvasprintf(fmt, args);
    va_end(args);
    return buffer_append_text(buffer, text);
}

static int
append_escape(struct buffer *buffer, unsigned char c)
{
    switch (c) {
    case '"':
        return buffer_append_text(buffer, "\\\"");
    case '\\':
        return buffer_append_text(buffer, "\\\\");
    case '\n':
        return buffer_append_text(buffer, "\\n");
    case '\r':
        return buffer_append_text(buffer, "\\r");
    case '\t':
        return buffer_append_text(buffer, "\\t");
    default:
        return buffer_printf(buffer, "\\u%04x", c);
    }
}

/* How many bytes of the text need no escaping in a JSON string. */
static size_t
plain_prefix(struct slice text)
{
    size_t at = 0;

    while (at < text.len) {
        unsigned char c = (unsigned char)text.data[at];
        size_t len = 1;
        if (c < 0x20 || c == '"' || c == '\\')
            break;
        if (c >= 0x80 && (len = utf8_sequence(text.data + at, text.len - at)) == 0)
            break;
        at += len;
    }
    return at;
}

int
buffer_append_json_string(struct buffer *buffer, struct slice text)
{
    const size_t before = buffer->len;
    int failed = buffer_append_text(buffer, "\"");

    while (!failed && text.len) {
        size_t plain = plain_prefix(text);
        failed = buffer_append(buffer, text.data, plain);
        text = (struct slice){text.data + plain, text.len - plain};
        if (failed || text.len == 0)
            break;
        unsigned char c = (unsigned char)text.data[0];
        failed = c < 0x80 ? append_escape(buffer, c)
                          : buffer_append_text(buffer, UTF8_REPLACEMENT);
        text = (struct slice){text.data + 1, text.len - 1};
    }
    if (failed || buffer_append_text(buffer, "\"") < 0) {
        buffer->len = before;
        return -1;
    }
    return 0;
}

void
buffer_consume(struct buffer *buffer, size_t len)
{
    memmove(buffer->data, buffer->data + len, buffer->len - len);
    buffer->len -= len;
    buffer->data[buffer->len] = '\0';
}
