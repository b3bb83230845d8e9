#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/copy_out.h"
#include "cli/new_file.h"
#include "kernel/carry/carry_path.h"

enum {
    CHUNK = 1 << 16,
    TOLD = 20, /* lines about what was left out */
};

static bool
is_plain(const char *name)
{
    return carry_path_is_valid((struct slice){name, strlen(name)});
}

void
copy_out_print_name(FILE *out, const char *name)
{
    bool plain = is_plain(name);

    for (; *name; name++)
        putc(plain || (*name >= 0x20 && *name < 0x7F) ? *name : '?', out);
}

static void
leave_out(struct copy_out *copy, const char *shown, const char *why)
{
    if (++copy->failed > TOLD)
        return;
    fputs("cellpod: ", stderr);
    copy_out_print_name(stderr, shown);
    fprintf(stderr, " is left out: %s\n", why);
}

/* --- one file --- */

/* 1: it ended before. */
static int
copy_range(int from, int to, off_t at, off_t end, struct error *err)
{
    char bytes[CHUNK];

    while (at < end) {
        size_t want = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
        ssize_t got = pread(from, bytes, want, at);
        if (got <= 0)
            return 1;
        for (ssize_t done = 0, put; done < got; done += put)
            if ((put = pwrite(to, bytes + done, (size_t)(got - done), at + done)) < 0)
                return error_sys(err, "write the copy");
        at += got;
    }
    return 0;
}

/* Where the next data are, and their end; a file system that knows no holes has only
 * data. Always moves on, whatever the file turns into meanwhile. */
static void
find_data(int from, off_t size, off_t *data, off_t *end)
{
    off_t found = lseek(from, *data, SEEK_DATA);

    if (found < 0 && errno == ENXIO)
        found = size;
    if (found > *data)
        *data = found < size ? found : size;
    *end = lseek(from, *data, SEEK_HOLE);
    if (*end <= *data)
        *end = *data + CHUNK;
    if (*end > size)
        *end = size;
}

static int
copy_bytes(int from, int to, off_t size, struct error *err)
{
    for (off_t at = 0, end; at < size; at = end) {
        find_data(from, size, &at, &end);
        int status = copy_range(from, to, at, end, err);
        if (status != 0)
            return status;
    }
    return ftruncate(to, size) < 0 ? error_sys(err, "write the copy") : 0;
}

static bool
is_same(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* 1: it changed meanwhile. */
static int
copy_as(int from, const struct stat *before, int to, struct error *err)
{
    struct stat after;

    if (to < 0)
        return error_sys(err, "write the copy");
    int status = copy_bytes(from, to, before->st_size, err);
    if (status != 0)
        return status;
    return fstat(from, &after) < 0 || !is_same(before, &after);
}

static int
copy_file(struct copy_out *copy, int entry, const char *shown, int into,
          const char *name, struct error *err)
{
    AUTO(mem) char *again = xasprintf("/proc/self/fd/%d", entry);
    AUTO(fd) int from = open(again, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    struct stat st;

    if (from < 0 || fstat(from, &st) < 0)
        return leave_out(copy, shown, "it cannot be read"), 0;
    if (!copy->overwrites && fstatat(into, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return leave_out(copy, shown, "the copy exists; --force replaces it"), 0;
    if (fstat(from, &st) < 0)
        return error_sys(err, "read %s", shown);
    AUTO(new_file) struct new_file to = new_file_make(into);
    int status = copy_as(from, &st, to.fd, err);
    if (status == 0 && new_file_name(&to, name, copy->overwrites) < 0)
        status = error_sys(err, "name the copy %s", name);
    if (status == 0)
        copy->copied++;
    else if (status > 0)
        leave_out(copy, shown, "it changed while it was copied; try again");
    return status < 0 ? -1 : 0;
}

/* --- folders --- */

static int copy_entry(struct copy_out *copy, int entry, const char *shown, int into,
                      const char *name, unsigned depth, struct error *err);

static int
copy_named(struct copy_out *copy, int from, const char *name, const char *above, int to,
           unsigned depth, struct error *err)
{
    AUTO(mem) char *shown = xasprintf("%s%s%s", above, *above ? "/" : "", name);

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return 0;
    if (carry_path_is_left(name))
        return copy->hidden++, 0;
    if (!is_plain(name))
        return leave_out(copy, shown, "its name has characters that are not shown"), 0;
    AUTO(fd) int entry = openat(from, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (entry < 0)
        return leave_out(copy, shown, "it is no longer there"), 0;
    return copy_entry(copy, entry, shown, to, name, depth + 1, err);
}

static int
copy_all(struct copy_out *copy, DIR *list, const char *shown, int to, unsigned depth,
         struct error *err)
{
    int status = 0;

    for (struct dirent *found; status == 0 && (found = readdir(list));)
        status = copy_named(copy, dirfd(list), found->d_name, shown, to, depth, err);
    closedir(list);
    return status;
}

static int
copy_folder(struct copy_out *copy, int entry, const char *shown, int into,
            const char *name, unsigned depth, struct error *err)
{
    if (depth > CARRY_PATH_DEPTH)
        return leave_out(copy, shown, "it is too deep"), 0;
    if (mkdirat(into, name, 0777) < 0) {
        if (errno != EEXIST)
            return error_sys(err, "make the folder %s", name);
        if (!copy->overwrites)
            return leave_out(copy, shown, "the copy exists; --force adds to it"), 0;
    }
    AUTO(fd)
    int to = openat(into, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (to < 0)
        return error_sys(err, "open the folder %s", name);
    AUTO(fd) int from = openat(entry, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = from < 0 ? NULL : fdopendir(from);
    if (!list)
        return leave_out(copy, shown, "it cannot be read"), 0;
    from = -1; /* the list's from here on */
    return copy_all(copy, list, shown, to, depth, err);
}

static int
copy_entry(struct copy_out *copy, int entry, const char *shown, int into,
           const char *name, unsigned depth, struct error *err)
{
    struct stat st;

    if (fstat(entry, &st) == 0 && S_ISREG(st.st_mode))
        return copy_file(copy, entry, shown, into, name, err);
    if (S_ISDIR(st.st_mode))
        return copy_folder(copy, entry, shown, into, name, depth, err);
    return leave_out(copy, shown, "it is a link or a device, not a file"), 0;
}

int
copy_out_run(struct copy_out *copy, int entry, const char *shown, int into,
             const char *name, struct error *err)
{
    return copy_entry(copy, entry, shown, into, name, 0, err);
}
