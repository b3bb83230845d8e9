#include "sandbox/http/uri_path.h"

#include <limits.h>

#include "common/buffer.h"

static int
digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        return (c | 0x20) - 'a' + 10;
    return -1;
}

static int
decode(struct slice encoded, struct buffer *out, struct error *err)
{
    for (size_t i = 0; i < encoded.len; i++) {
        char c = encoded.data[i];
        if (c == '%') {
            int high = i + 2 < encoded.len ? digit_value(encoded.data[i + 1]) : -1;
            int low = high >= 0 ? digit_value(encoded.data[i + 2]) : -1;
            if (low < 0)
                return error_set(err, ERR_BAD_INPUT,
                                 "a %% without two hexadecimal digits");
            c = (char)(high << 4 | low);
            i += 2;
        }
        if (buffer_append(out, &c, 1) < 0)
            return error_set(err, ERR_BAD_INPUT, "the path is too long");
    }
    return 0;
}

static int
add_segment(struct buffer *out, struct slice segment, struct error *err)
{
    if (segment.len == 0 || slice_equals(segment, SLICE(".")))
        return 0;
    if (slice_equals(segment, SLICE("..")))
        return error_set(
            err, ERR_DENIED,
            "access denied: the path must stay in the workspace, without ..");
    if ((out->len && buffer_append(out, "/", 1) < 0) ||
        buffer_append(out, segment.data, segment.len) < 0)
        return error_set(err, ERR_BAD_INPUT, "the path is too long");
    return 0;
}

int
uri_path_clean(struct slice name, char **out, struct error *err)
{
    AUTO(buffer) struct buffer path = BUFFER_INIT(PATH_MAX - 1);

    if (memchr(name.data, '\0', name.len))
        return error_set(err, ERR_BAD_INPUT, "a path must not contain NUL");
    for (size_t at = 0; at < name.len;) {
        const char *slash = memchr(name.data + at, '/', name.len - at);
        size_t end = slash ? (size_t)(slash - name.data) : name.len;
        if (add_segment(&path, (struct slice){name.data + at, end - at}, err) < 0)
            return -1;
        at = end + 1;
    }
    *out = path.len ? TAKE(path.data) : xstrdup(".");
    return 0;
}

int
uri_path_decode(struct slice encoded, char **out, struct error *err)
{
    AUTO(buffer) struct buffer name = BUFFER_INIT(PATH_MAX - 1);

    if (decode(encoded, &name, err) < 0)
        return -1;
    if (name.len && memchr(name.data, '\0', name.len))
        return error_set(err, ERR_BAD_INPUT, "a path must not contain NUL");
    *out = name.data ? TAKE(name.data) : xstrdup("");
    return 0;
}

int
uri_path_parse(struct slice encoded, char **out, struct error *err)
{
    AUTO(mem) char *name = NULL;

    if (uri_path_decode(encoded, &name, err) < 0)
        return -1;
    return uri_path_clean(slice_of(name), out, err);
}
