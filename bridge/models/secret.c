#include "bridge/models/secret.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "common/limits.h"

enum {
    SECRET_PAGES = 8 << 10
}; /* a key, a header's name, this struct */

struct secret {
    size_t len;
    char bytes[];
};

static struct secret *
map_secret(struct error *err)
{
    void *page = mmap(NULL, SECRET_PAGES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED)
        return (void)error_sys(err, "allocate memory for a key"), NULL;
    madvise(page, SECRET_PAGES, MADV_DONTDUMP);
    madvise(page, SECRET_PAGES, MADV_WIPEONFORK);
    if (mlock(page, SECRET_PAGES) < 0) {
        (void)error_sys(err, "lock the memory of a key (raise `ulimit -l`)");
        munmap(page, SECRET_PAGES);
        return NULL;
    }
    return page;
}

void
secret_free(struct secret *secret)
{
    if (!secret)
        return;
    OPENSSL_cleanse(secret, SECRET_PAGES);
    munmap(secret, SECRET_PAGES);
}

static bool
is_printable(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] <= ' ' || text.data[i] == 0x7f)
            return false;
    return true;
}

struct secret *
secret_new(struct slice bytes, struct error *err)
{
    if (bytes.len == 0 || bytes.len > LIMIT_KEY || !is_printable(bytes))
        return (void)error_set(err, ERR_BAD_INPUT,
                               "a key must be 1 to %d printable characters", LIMIT_KEY),
               NULL;
    struct secret *secret = map_secret(err);
    if (secret) {
        secret->len = bytes.len;
        memcpy(secret->bytes, bytes.data, bytes.len);
    }
    return secret;
}

struct secret *
secret_copy(const struct secret *secret, struct error *err)
{
    return secret_new((struct slice){secret->bytes, secret->len}, err);
}

struct secret *
secret_take_env(const char *name, struct error *err)
{
    char *value = getenv(name);

    err->text[0] = '\0';
    if (!value || !*value)
        return NULL;
    struct secret *secret = secret_new(slice_of(value), err);
    if (!secret)
        (void)error_wrap(err, "%s", name);
    OPENSSL_cleanse(value, strlen(value));
    unsetenv(name);
    return secret;
}

/* Other users must not be able to read it. An exception is a read-only mount: clusters
 * pass secrets that way, with their own modes. */
static int
check_private(int fd, const char *path, struct error *err)
{
    struct stat st;
    struct statvfs mount;

    if (fstat(fd, &st) < 0 || fstatvfs(fd, &mount) < 0)
        return error_sys(err, "check key file %s", path);
    if (!S_ISREG(st.st_mode))
        return error_set(err, ERR_DENIED, "key file %s is not a regular file", path);
    if ((st.st_mode & 077) && !(mount.f_flag & ST_RDONLY))
        return error_set(err, ERR_DENIED,
                         "other users can read the key file %s: run chmod 600 on it",
                         path);
    return 0;
}

static size_t
trimmed(const char *text, size_t len)
{
    while (len &&
           (text[len - 1] == '\n' || text[len - 1] == '\r' || text[len - 1] == ' '))
        len--;
    return len;
}

struct secret *
secret_read_file(const char *path, struct error *err)
{
    char text[LIMIT_KEY + 2];
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

    if (fd < 0)
        return (void)error_sys(err, "open key file %s", path), NULL;
    if (check_private(fd, path, err) < 0)
        return NULL;
    ssize_t len = read(fd, text, sizeof(text));
    if (len < 0)
        return (void)error_sys(err, "read key file %s", path), NULL;
    struct secret *secret =
        secret_new((struct slice){text, trimmed(text, (size_t)len)}, err);
    OPENSSL_cleanse(text, sizeof(text));
    if (!secret)
        (void)error_wrap(err, "key file %s", path);
    return secret;
}

struct secret *
secret_header(const char *prefix, const struct secret *secret, struct error *err)
{
    size_t before = strlen(prefix);
    struct secret *line = map_secret(err);

    if (!line)
        return NULL;
    memcpy(line->bytes, prefix, before);
    memcpy(line->bytes + before, secret->bytes, secret->len);
    line->len = before + secret->len;
    return line;
}

char *
secret_borrow(const struct secret *secret)
{
    return (char *)secret->bytes; /* pages start zeroed, so it ends in NUL */
}

static char *
find_in(const struct secret *secret, char *from, const char *end)
{
    return memmem(from, (size_t)(end - from), secret->bytes, secret->len);
}

/* The asterisks that were written are never searched again: a key may consist of
 * asterisks, and its occurrences may overlap. */
void
secret_erase(const struct secret *secret, char *text, size_t len)
{
    char *at, *next;

    if (!text || !secret || secret->len < 4) /* so short: would only garble it */
        return;
    for (at = find_in(secret, text, text + len); at; at = next) {
        next = find_in(secret, at + 1, text + len);
        size_t gap = next ? (size_t)(next - at) : secret->len;
        memset(at, '*', gap < secret->len ? gap : secret->len);
    }
}
