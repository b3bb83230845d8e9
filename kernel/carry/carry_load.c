#include "kernel/carry/carry_load.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>

#include "kernel/carry/carry_path.h"

enum {
    TRIES = 3
};

void
carry_load_digest(struct slice bytes, unsigned char digest[CARRY_DIGEST])
{
    EVP_Digest(bytes.data, bytes.len, digest, NULL, EVP_sha256(), NULL);
}

/* False: an error, or more than there is room for. */
static bool
read_all(int file, struct buffer *bytes, size_t expected)
{
    for (;;) {
        size_t want = bytes->len < expected ? expected - bytes->len : 1;
        char *room = buffer_reserve(bytes, want);
        ssize_t got = room ? read(file, room, want) : -1;
        if (got > 0)
            buffer_advance(bytes, (size_t)got);
        else if (got == 0)
            return true;
        else if (!room || errno != EINTR)
            return false;
    }
}

static bool
try(int root, const char *path, uint64_t most, struct carry_load *out)
{
    struct carry_stamp after;
    struct stat st;
    AUTO(fd)
    int file = carry_path_open(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);

    out->why = CARRY_LEFT_UNREADABLE;
    if (file < 0 || fstat(file, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    carry_stamp_take(&out->stamp, &st);
    out->why = CARRY_LEFT_LARGE;
    if (out->stamp.size > most)
        return false;
    out->is_executable = st.st_mode & S_IXUSR;
    out->why = CARRY_LEFT_CHANGING;
    buffer_clear(&out->bytes);
    if (!read_all(file, &out->bytes, out->stamp.size) || fstat(file, &st) < 0)
        return false;
    carry_stamp_take(&after, &st);
    return carry_stamp_equals(&after, &out->stamp) && out->bytes.len == out->stamp.size;
}

void
carry_load_run(int root, const char *path, uint64_t most, struct carry_load *out)
{
    *out = (struct carry_load){.bytes = BUFFER_INIT(most + 1)};
    for (int i = 0; i < TRIES && !out->is_loaded; i++)
        out->is_loaded = try(root, path, most, out);
    if (out->is_loaded)
        carry_load_digest(buffer_slice(&out->bytes), out->digest);
}

void
carry_load_release(struct carry_load *load)
{
    buffer_release(&load->bytes);
}
