#include "kube/access/text_file.h"

#include <fcntl.h>

#include "kube/access/secret_text.h"

char *
text_file_read(const char *path, size_t largest, struct error *err)
{
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    AUTO(secret_text) char *text = NULL;
    size_t len = 0;
    ssize_t got = 1;

    if (fd < 0)
        return (void)error_sys(err, "%.300s", path), NULL;
    text = xcalloc(largest + 2, 1);
    while (len <= largest && got > 0) {
        got = read(fd, text + len, largest + 1 - len);
        if (got > 0)
            len += (size_t)got;
    }
    if (got < 0)
        return (void)error_sys(err, "%.300s", path), NULL;
    if (len > largest)
        return (void)error_set(err, ERR_TOO_LARGE, "%.300s: larger than %zu bytes",
                               path, largest),
               NULL;
    if (strlen(text) != len)
        return (void)error_set(err, ERR_BAD_INPUT, "%.300s: not a text file", path),
               NULL;
    return TAKE(text);
}
