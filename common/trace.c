#include "common/trace.h"

#include <stdio.h>
#include <sys/random.h>

static bool
random_hex(char *out, size_t digits)
{
    unsigned char bytes[TRACE_ID_LEN / 2];

    if (getrandom(bytes, digits / 2, 0) != (ssize_t)(digits / 2))
        return false;
    for (size_t i = 0; i < digits / 2; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static bool
is_hex(const char *text, size_t digits)
{
    for (size_t i = 0; i < digits; i++)
        if (!(text[i] >= '0' && text[i] <= '9') && !(text[i] >= 'a' && text[i] <= 'f'))
            return false;
    return true;
}

static bool
is_zero(const char *text, size_t digits)
{
    return strspn(text, "0") >= digits;
}

void
trace_begin(struct trace_id *out)
{
    if (!random_hex(out->text, TRACE_ID_LEN))
        out->text[0] = '\0';
}

bool
trace_read(const char *header, struct trace_id *out)
{
    const char *id, *span, *flags;

    out->text[0] = '\0';
    if (!header || strlen(header) != TRACE_PARENT_LEN || strncmp(header, "00-", 3) != 0)
        return false;
    id = header + 3;
    span = id + TRACE_ID_LEN + 1;
    flags = span + TRACE_SPAN_LEN + 1;
    if (id[TRACE_ID_LEN] != '-' || span[TRACE_SPAN_LEN] != '-' ||
        !is_hex(id, TRACE_ID_LEN) || !is_hex(span, TRACE_SPAN_LEN) ||
        !is_hex(flags, 2) || is_zero(id, TRACE_ID_LEN) || is_zero(span, TRACE_SPAN_LEN))
        return false;
    memcpy(out->text, id, TRACE_ID_LEN);
    out->text[TRACE_ID_LEN] = '\0';
    return true;
}

void
trace_write(const struct trace_id *trace, char out[TRACE_PARENT_LEN + 1])
{
    char span[TRACE_SPAN_LEN + 1];

    if (!random_hex(span, TRACE_SPAN_LEN) || is_zero(span, TRACE_SPAN_LEN))
        memcpy(span, "0000000000000001", sizeof(span));
    snprintf(out, TRACE_PARENT_LEN + 1, "00-%s-%s-00", trace->text, span);
}
