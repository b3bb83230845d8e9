#include "kernel/archive/archive_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

enum {
    CHUNK = 256 << 10,
    SWEPT = 1000, /* folders that one start looks at */
};

static const char *const names[] = {"now", "before", "damaged", "now.new", "lock"};

/* A regular file of ours, without another name, that nobody else may read. */
static int
check_file(int fd, const char *name, struct error *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return error_sys(err, "check %s", name);
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink > 1 ||
        st.st_mode & 077)
        return error_set(err, ERR_DENIED,
                         "`%s' must be a file that only you can read: remove it", name);
    return 0;
}

static int
open_file(int folder, const char *name, int flags, struct error *err)
{
    AUTO(fd)
    int fd = openat(folder, name,
                    flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);

    if (fd < 0)
        return error_sys(err, "open `%s'", name);
    return check_file(fd, name, err) < 0 ? -1 : take_fd(&fd);
}

static int
open_now(struct archive_files *files, int flags, struct error *err)
{
    struct stat st;
    int fd = open_file(files->folder, "now", O_RDWR | O_CREAT | O_APPEND | flags, err);

    if (fd < 0)
        return -1;
    if (files->now >= 0)
        close(files->now);
    files->now = fd;
    files->written = fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
    return 0;
}

static int
open_folder(const char *path, struct error *err)
{
    struct stat st;

    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return error_sys(err, "make %s", path);
    AUTO(fd) int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return error_sys(err, "open %s", path);
    if (st.st_uid != geteuid() || st.st_mode & 022)
        return error_set(err, ERR_DENIED,
                         "%s must be a folder that only you can write to: remove it",
                         path);
    return take_fd(&fd);
}

static int
lock(struct archive_files *files, struct error *err)
{
    files->lock = open_file(files->folder, "lock", O_RDWR | O_CREAT, err);
    if (files->lock < 0)
        return -1;
    if (flock(files->lock, LOCK_EX | LOCK_NB) == 0)
        return 0;
    return errno == EWOULDBLOCK
               ? error_set(err, ERR_BUSY, "another kernel of this notebook keeps them")
               : error_sys(err, "lock it");
}

int
archive_files_open(struct archive_files *files, const char *folder, size_t most,
                   struct error *err)
{
    *files = (struct archive_files){-1, -1, -1, 0, most};
    files->folder = open_folder(folder, err);
    if (files->folder < 0 || lock(files, err) < 0 || open_now(files, 0, err) < 0) {
        archive_files_close(files);
        return -1;
    }
    return 0;
}

void
archive_files_close(struct archive_files *files)
{
    int *const fds[] = {&files->now, &files->lock, &files->folder};

    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        if (*fds[i] >= 0)
            close(*fds[i]);
        *fds[i] = -1;
    }
}

/* --- writing --- */

bool
archive_files_has_room(const struct archive_files *files, size_t bytes)
{
    return files->written + bytes <= files->most;
}

static int
write_whole(int fd, struct slice bytes, struct error *err)
{
    while (bytes.len) {
        ssize_t done = write(fd, bytes.data, bytes.len);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return error_sys(err, "write");
        bytes = (struct slice){bytes.data + done, bytes.len - (size_t)done};
    }
    return 0;
}

/* What is written in part would be damage. */
int
archive_files_append(struct archive_files *files, struct slice bytes, struct error *err)
{
    if (write_whole(files->now, bytes, err) < 0) {
        (void)!ftruncate(files->now, (off_t)files->written);
        return -1;
    }
    files->written += bytes.len;
    return 0;
}

int
archive_files_turn(struct archive_files *files, struct error *err)
{
    if (renameat(files->folder, "now", files->folder, "before") < 0)
        return error_sys(err, "rename `now'");
    return open_now(files, O_EXCL, err);
}

static int
copy(int from, int to, size_t len, struct error *err)
{
    AUTO(mem) char *chunk = xcalloc(1, CHUNK);
    off_t at = 0;

    while ((size_t)at < len) {
        size_t left = len - (size_t)at;
        ssize_t got = pread(from, chunk, left < CHUNK ? left : CHUNK, at);
        if (got <= 0)
            return error_sys(err, "read `now'");
        if (write_whole(to, (struct slice){chunk, (size_t)got}, err) < 0)
            return -1;
        at += got;
    }
    return 0;
}

int
archive_files_mend(struct archive_files *files, size_t good, struct error *err)
{
    const int folder = files->folder;

    (void)!unlinkat(folder, "now.new", 0);
    AUTO(fd) int fd = open_file(folder, "now.new", O_RDWR | O_CREAT | O_EXCL, err);
    if (fd < 0)
        return -1;
    if (copy(files->now, fd, good, err) < 0) {
        (void)!unlinkat(folder, "now.new", 0);
        return -1;
    }
    if (renameat(folder, "now", folder, "damaged") < 0 ||
        renameat(folder, "now.new", folder, "now") < 0)
        return error_sys(err, "rename `now'");
    return open_now(files, 0, err);
}

/* --- reading --- */

/* Returns the bytes that were whole records; *is_damaged: there are more. */
static size_t
read_records(int fd, archive_record_fn *take, void *context, bool *is_damaged)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    size_t good = 0, done = 0, needed = 0;
    struct archive_record record;
    off_t at = 0;

    for (;;) {
        struct slice left = {buffer_slice(&bytes).data + done, bytes.len - done};
        ssize_t used = archive_record_parse(left, &record, &needed);
        if (used > 0) {
            good += (size_t)used;
            done += (size_t)used;
            if (!take(context, &record))
                return good;
            continue;
        }
        if (done)
            buffer_consume(&bytes, done);
        done = 0;
        ssize_t got =
            used < 0 ? 0 : pread(fd, buffer_reserve(&bytes, CHUNK), CHUNK, at);
        if (got <= 0) {
            *is_damaged = used < 0 || got < 0 || bytes.len;
            return good;
        }
        buffer_advance(&bytes, (size_t)got);
        at += got;
    }
}

int
archive_files_read(const struct archive_files *files, archive_record_fn *take,
                   void *context, struct archive_reading *reading, struct error *err)
{
    AUTO(fd) int before = open_file(files->folder, "before", O_RDONLY, err);

    *reading = (struct archive_reading){0};
    if (before < 0 && !(err->kind == ERR_SYSTEM && err->sys == ENOENT))
        return -1;
    if (before >= 0)
        read_records(before, take, context, &reading->is_before_damaged);
    reading->good = read_records(files->now, take, context, &reading->is_now_damaged);
    return 0;
}

/* --- age --- */

static bool
is_older(int folder, int64_t before)
{
    struct stat st;

    return fstatat(folder, "now", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           st.st_mtim.tv_sec < before;
}

static void
remove_old(int parent, const char *name, int64_t before)
{
    struct archive_files files = {-1, -1, -1, 0, 0};
    struct error err;

    files.folder =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (files.folder >= 0 && is_older(files.folder, before) &&
        lock(&files, &err) == 0) {
        for (size_t i = 0; i < COUNT_OF(names); i++)
            (void)!unlinkat(files.folder, names[i], 0);
        (void)!unlinkat(parent, name, AT_REMOVEDIR);
    }
    archive_files_close(&files);
}

void
archive_files_sweep(const char *folder, int64_t before)
{
    const char *own = strrchr(folder, '/');
    AUTO(mem) char *parent = xstrndup(folder, (size_t)(own - folder));
    DIR *list = opendir(parent);
    struct dirent *entry;

    for (size_t i = 0; list && i < SWEPT && (entry = readdir(list)); i++)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, own + 1) != 0)
            remove_old(dirfd(list), entry->d_name, before);
    if (list)
        closedir(list);
}
