#include "kernel/carry/carry_path.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>

#include "common/buffer.h"
#include "common/utf8.h"

static bool
is_component(struct slice name)
{
    if (name.len == 0 || name.len > NAME_MAX)
        return false;
    return !slice_equals(name, SLICE(".")) && !slice_equals(name, SLICE(".."));
}

/* What steers a terminal, or turns the direction of what is shown. Of valid UTF-8. */
static bool
is_control(struct slice text)
{
    static const char *const turns[] = {
        "\u200E", "\u200F", "\u202A", "\u202B", "\u202C", "\u202D", "\u202E",
        "\u2066", "\u2067", "\u2068", "\u2069", "\u061C", "\u2028", "\u2029"};

    if (iscntrl((unsigned char)text.data[0]) ||
        (text.len > 1 && text.data[0] == '\xC2' && (unsigned char)text.data[1] < 0xA0))
        return true;
    for (size_t i = 0; i < COUNT_OF(turns); i++)
        if (text.len >= strlen(turns[i]) &&
            memcmp(text.data, turns[i], strlen(turns[i])) == 0)
            return true;
    return false;
}

static bool
has_control(struct slice text)
{
    for (; text.len; text.data++, text.len--)
        if (is_control(text))
            return true;
    return false;
}

bool
carry_path_is_valid(struct slice path)
{
    size_t depth = 0;

    if (path.len == 0 || path.len > CARRY_PATH_BYTES || !utf8_is_valid(path) ||
        has_control(path))
        return false;
    for (size_t at = 0; at <= path.len; depth++) {
        const char *slash = memchr(path.data + at, '/', path.len - at);
        size_t len = slash ? (size_t)(slash - path.data) - at : path.len - at;
        if (!is_component((struct slice){path.data + at, len}))
            return false;
        at += len + 1;
    }
    return depth <= CARRY_PATH_DEPTH + 1;
}

bool
carry_path_is_left(const char *name)
{
    return name[0] == '.' || strcmp(name, "__pycache__") == 0 ||
           strcmp(name, "node_modules") == 0;
}

bool
carry_path_has_left(const char *path)
{
    for (const char *at = path; *at;) {
        size_t len = strcspn(at, "/");
        AUTO(mem) char *name = xstrndup(at, len);
        if (carry_path_is_left(name))
            return true;
        at += len + (at[len] == '/');
    }
    return false;
}

char *
carry_path_encode(const char *path)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);

    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("-._~/", *path))
            buffer_append(&text, path, 1);
        else
            buffer_printf(&text, "%%%02X", (unsigned char)*path);
    return TAKE(text.data);
}

int
carry_path_open(int root, const char *path, int flags, mode_t mode)
{
    AUTO(fd) int folder = fcntl(root, F_DUPFD_CLOEXEC, 0);

    for (;;) {
        size_t len = strcspn(path, "/");
        AUTO(mem) char *name = xstrndup(path, len);
        if (folder < 0)
            return -1;
        if (!path[len])
            return openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
        int next = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        auto_fd(&folder);
        folder = next;
        path += len + 1;
    }
}
