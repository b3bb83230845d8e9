#include "sandbox/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>

enum {
    MAX_BYTES = 4 << 20,
    KEPT_BYTES = 1 << 20,
};

static int log_fd = -1; /* readable too, unlike standard error's other holders need */

int
log_file_open(const char *state_dir, struct error *err)
{
    AUTO(mem) char *path = xasprintf("%s/sandboxd.log", state_dir);
    AUTO(fd) int fd =
        open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        return error_sys(err, "open %s", path);
    if (dup2(fd, STDERR_FILENO) < 0)
        return error_sys(err, "log to %s", path);
    log_fd = take_fd(&fd);
    log_file_trim();
    return 0;
}

/* In place: zygotes hold the same file, and go on appending to it. */
void
log_file_trim(void)
{
    struct stat st;

    if (log_fd < 0 || fstat(log_fd, &st) < 0 || st.st_size <= MAX_BYTES)
        return;
    AUTO(mem) char *newest = xcalloc(KEPT_BYTES, 1);
    ssize_t len = pread(log_fd, newest, KEPT_BYTES, st.st_size - KEPT_BYTES);
    if (ftruncate(log_fd, 0) < 0 || len <= 0)
        return;
    const char *line = memchr(newest, '\n', (size_t)len);
    const char *from = line ? line + 1 : newest;
    if (write(log_fd, from, (size_t)(newest + len - from)) < 0)
        return; /* a full disk: the log is what can be missed */
}
