#include "kernel/carry/carry_ignore.h"

#include <fcntl.h>
#include <fnmatch.h>

#include "kernel/carry/carry_path.h"

enum {
    MAX_BYTES = 64 << 10,
    MAX_PATTERNS = 1000,
    MAX_LINE = 256,
    MAX_STARS = 8, /* each may cost fnmatch another pass */
};

struct pattern {
    char text[MAX_LINE + 1];
    bool is_path, is_folder;
};

struct carry_ignore {
    size_t count;
    struct pattern patterns[MAX_PATTERNS];
};

static bool
is_usable(struct slice line)
{
    size_t stars = 0;

    for (size_t i = 0; i < line.len; i++) {
        stars += line.data[i] == '*';
        if (line.data[i] == '\0')
            return false;
    }
    return line.len > 0 && line.len <= MAX_LINE && line.data[0] != '#' &&
           stars <= MAX_STARS;
}

static struct slice
trim(struct slice line)
{
    while (line.len && strchr(" \t\r", line.data[line.len - 1]))
        line.len--;
    return line;
}

static void
add(struct carry_ignore *ignore, struct slice line)
{
    struct pattern *pattern = &ignore->patterns[ignore->count];

    *pattern = (struct pattern){0};
    if (line.len && line.data[line.len - 1] == '/') {
        pattern->is_folder = true;
        line.len--;
    }
    pattern->is_path = memchr(line.data, '/', line.len);
    if (line.len && line.data[0] == '/') {
        line.data++;
        line.len--;
    }
    if (!line.len)
        return;
    memcpy(pattern->text, line.data, line.len);
    ignore->count++;
}

struct carry_ignore *
carry_ignore_parse(struct slice text)
{
    struct carry_ignore *ignore = xcalloc(1, sizeof(*ignore));

    for (size_t at = 0; at < text.len && ignore->count < MAX_PATTERNS;) {
        const char *end = memchr(text.data + at, '\n', text.len - at);
        size_t len = end ? (size_t)(end - text.data) - at : text.len - at;
        struct slice line = trim((struct slice){text.data + at, len});
        if (is_usable(line))
            add(ignore, line);
        at += len + 1;
    }
    if (ignore->count == 0)
        free(TAKE(ignore));
    return ignore;
}

struct carry_ignore *
carry_ignore_read(int root)
{
    AUTO(fd) int file =
        carry_path_open(root, CARRY_IGNORE_NAME, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    AUTO(mem) char *text = file < 0 ? NULL : xcalloc(1, MAX_BYTES);
    ssize_t got = 1;
    size_t len = 0;

    while (text && len < MAX_BYTES && got > 0)
        if ((got = read(file, text + len, MAX_BYTES - len)) > 0)
            len += (size_t)got;
    return len ? carry_ignore_parse((struct slice){text, len}) : NULL;
}

void
carry_ignore_free(struct carry_ignore *ignore)
{
    free(ignore);
}

bool
carry_ignore_has(const struct carry_ignore *ignore, const char *path, bool is_folder)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    for (size_t i = 0; ignore && i < ignore->count; i++) {
        const struct pattern *pattern = &ignore->patterns[i];
        if (pattern->is_folder && !is_folder)
            continue;
        if (fnmatch(pattern->text, pattern->is_path ? path : name, FNM_PATHNAME) == 0)
            return true;
    }
    return false;
}
