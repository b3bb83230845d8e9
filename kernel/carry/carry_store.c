#include "kernel/carry/carry_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/rand.h>
#include <stdio.h>

#include "common/acted_on.h"
#include "kernel/carry/carry_path.h"

enum {
    MAX_COPIES = 99,
    RANDOM_BYTES = 8,
};

static const char *
name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *
carry_store_refuses(const char *path)
{
    const char *name = name_of(path);
    const size_t len = strlen(name);

    if (len >= 6 && strcasecmp(name + len - 6, ".ipynb") == 0)
        return "it is a notebook";
    return acted_on_reason(name, true);
}

char *
carry_store_copy_path(const char *path, unsigned number)
{
    const char *name = name_of(path), *dot = strrchr(name, '.');
    const size_t stem = dot && dot > name ? (size_t)(dot - path) : strlen(path);

    return number < 2
               ? xasprintf("%.*s (from the sandbox)%s", (int)stem, path, path + stem)
               : xasprintf("%.*s (from the sandbox %u)%s", (int)stem, path, number,
                           path + stem);
}

static int
fail(struct carry_store *store)
{
    store->outcome = CARRY_STORED_NOT;
    store->why = errno == ENOSPC || errno == EDQUOT ? CARRY_LEFT_NO_ROOM_HERE
                                                    : CARRY_LEFT_UNWRITABLE;
    return -1;
}

/* The folder that it belongs into, made if it has to be. */
static int
open_folder(const struct carry_store *store, const char *path)
{
    AUTO(fd) int folder = fcntl(store->root, F_DUPFD_CLOEXEC, 0);

    for (const char *slash; folder >= 0 && (slash = strchr(path, '/'));
         path = slash + 1) {
        AUTO(mem) char *name = xstrndup(path, (size_t)(slash - path));
        if (mkdirat(folder, name, 0777) < 0 && errno != EEXIST)
            return -1;
        int next = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        auto_fd(&folder);
        folder = next;
    }
    return take_fd(&folder);
}

static int
write_all(int file, struct slice bytes)
{
    while (bytes.len) {
        ssize_t done = write(file, bytes.data, bytes.len);
        if (done < 0 && errno != EINTR)
            return -1;
        if (done > 0)
            bytes = (struct slice){bytes.data + done, bytes.len - (size_t)done};
    }
    return 0;
}

/* A file that nobody looks for, with the bytes. */
static int
write_temporary(int folder, struct slice bytes, mode_t mode, char name[64])
{
    unsigned char random[RANDOM_BYTES];
    int len = snprintf(name, 64, ".cellpod-");

    if (RAND_bytes(random, sizeof(random)) != 1) {
        errno = EIO;
        return -1;
    }
    for (size_t i = 0; i < sizeof(random); i++)
        len += snprintf(name + len, 64 - (size_t)len, "%02x", random[i]);
    AUTO(fd)
    int file = openat(folder, name,
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0)
        return -1;
    if (write_all(file, bytes) == 0 && (!mode || fchmod(file, mode) == 0))
        return take_fd(&file);
    int sys = errno;
    unlinkat(folder, name, 0);
    errno = sys;
    return -1;
}

/* Not over something that is there; where the file system knows no such renaming, by a
 * second name. */
static int
move_to_new(int folder, const char *temporary, const char *name)
{
    if (renameat2(folder, temporary, folder, name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (linkat(folder, temporary, folder, name, 0) < 0)
        return -1;
    unlinkat(folder, temporary, 0);
    return 0;
}

/* over: what is there now and is to be replaced; NULL: nothing may be there. -1 with
 * EEXIST: something is there that is to stay. */
static int
put(struct carry_store *store, const char *path, const struct stat *over)
{
    AUTO(fd) int folder = open_folder(store, path);
    const char *name = name_of(path);
    char temporary[64];
    struct stat now;

    if (folder < 0)
        return -1;
    AUTO(fd)
    int file = write_temporary(folder, store->bytes, over ? over->st_mode & 0777 : 0,
                               temporary);
    if (file < 0)
        return -1;
    int moved = -1;
    if (!over) {
        moved = move_to_new(folder, temporary, name);
    } else if (fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0) {
        struct carry_stamp a, b;
        carry_stamp_take(&a, over);
        carry_stamp_take(&b, &now);
        errno = EEXIST;
        if (carry_stamp_equals(&a, &b))
            moved = renameat(folder, temporary, folder, name);
    }
    if (moved < 0) {
        int sys = errno;
        unlinkat(folder, temporary, 0);
        errno = sys;
        return -1;
    }
    fstat(file, &now);
    carry_stamp_take(&store->known.stamp, &now);
    carry_load_digest(store->bytes, store->known.digest);
    store->known.is_known = true;
    return 0;
}

static void
put_copy(struct carry_store *store)
{
    for (unsigned i = 1; i <= MAX_COPIES; i++) {
        AUTO(mem) char *path = carry_store_copy_path(store->path, i);
        if (strlen(name_of(path)) > NAME_MAX) {
            errno = ENAMETOOLONG;
            break;
        }
        if (put(store, path, NULL) == 0) {
            store->outcome = CARRY_STORED_COPY;
            store->copy = TAKE(path);
            return;
        }
        if (errno != EEXIST)
            break;
    }
    fail(store);
}

/* What is here: ours still, these very bytes, or somebody's. */
enum here {
    HERE_OURS,
    HERE_SAME,
    HERE_CHANGED,
};

static enum here
compare(struct carry_store *store, const struct stat *st)
{
    const struct carry_known *known = &store->known;
    unsigned char digest[CARRY_DIGEST];
    struct carry_stamp stamp;
    struct carry_load load;
    enum here here = HERE_CHANGED;

    carry_stamp_take(&stamp, st);
    if (known->is_known && carry_stamp_equals(&known->stamp, &stamp))
        return HERE_OURS;
    if (!S_ISREG(st->st_mode) ||
        (stamp.size != store->bytes.len &&
         !(known->is_known && stamp.size == known->stamp.size)))
        return HERE_CHANGED;
    carry_load_digest(store->bytes, digest);
    carry_load_run(store->root, store->path, stamp.size, &load);
    if (load.is_loaded && memcmp(load.digest, digest, CARRY_DIGEST) == 0) {
        here = HERE_SAME;
        store->known = (struct carry_known){.is_known = true, .stamp = load.stamp};
        memcpy(store->known.digest, digest, CARRY_DIGEST);
    } else if (load.is_loaded && known->is_known &&
               memcmp(load.digest, known->digest, CARRY_DIGEST) == 0) {
        here = HERE_OURS;
    }
    carry_load_release(&load);
    return here;
}

/* Read-only is what its owner does not want changed. */
static void
replace(struct carry_store *store, const struct stat *st)
{
    switch (compare(store, st)) {
    case HERE_SAME:
        store->outcome = CARRY_STORED_SAME;
        return;
    case HERE_OURS:
        if (!(st->st_mode & S_IWUSR)) {
            errno = EACCES;
            fail(store);
        } else if (put(store, store->path, st) == 0) {
            store->outcome = CARRY_STORED;
        } else if (errno == EEXIST) {
            put_copy(store);
        } else {
            fail(store);
        }
        return;
    case HERE_CHANGED:
        put_copy(store);
        return;
    }
}

void
carry_store_run(struct carry_store *store)
{
    AUTO(fd) int here = carry_path_open(store->root, store->path, O_PATH, 0);
    struct stat st;

    if (here >= 0 && fstat(here, &st) == 0) {
        replace(store, &st);
        return;
    }
    if (put(store, store->path, NULL) == 0)
        store->outcome = CARRY_STORED;
    else if (errno == EEXIST)
        put_copy(store);
    else
        fail(store);
}
