#include "sandbox/resources/cgroup_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

enum {
    MAX_LINE = 8192
};

int
cgroup_file_write(const char *folder, const char *file, const char *text,
                  struct error *err)
{
    AUTO(mem) char *path = xasprintf("%s/%s", folder, file);
    AUTO(fd) int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        return error_sys(err, "write %s", path);
    return 0;
}

const char *
cgroup_file_read(const char *folder, const char *file, char *text, size_t size)
{
    AUTO(mem) char *path = xasprintf("%s/%s", folder, file);
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? 0 : read(fd, text, size - 1);

    text[len > 0 ? len : 0] = '\0';
    return text;
}

bool
cgroup_file_number(const char *folder, const char *file, const char *key, uint64_t *out)
{
    char text[MAX_LINE], wanted[64];
    const char *at = cgroup_file_read(folder, file, text, sizeof(text));
    char *end;

    if (key) {
        size_t len = (size_t)snprintf(wanted, sizeof(wanted), "%s ", key);
        while (*at && strncmp(at, wanted, len) != 0) {
            at += strcspn(at, "\n");
            at += *at == '\n';
        }
        if (!*at)
            return false;
        at += len;
    }
    errno = 0;
    *out = strtoull(at, &end, 10);
    return end != at && errno == 0;
}
