#include "kernel/carry/carry_scan.h"

#include <dirent.h>
#include <fcntl.h>

#include "kernel/carry/carry_ignore.h"
#include "kernel/carry/carry_path.h"

enum {
    MAX_NAMES = 20000, /* looked at in all */
    MAX_FOLDERS = 2000,
};

struct walk {
    const struct carry_scan_spec *spec;
    struct carry_scan *out;
    struct carry_ignore *ignore;
    char **folders; /* to look into; "" is the folder itself */
    size_t folder_count, names;
    uint64_t bytes;
};

void
carry_stamp_take(struct carry_stamp *stamp, const struct stat *st)
{
    *stamp = (struct carry_stamp){.device = st->st_dev,
                                  .inode = st->st_ino,
                                  .size = (uint64_t)st->st_size,
                                  .written = st->st_mtim,
                                  .changed = st->st_ctim};
}

static bool
is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool
carry_stamp_equals(const struct carry_stamp *a, const struct carry_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           is_same_time(a->written, b->written) && is_same_time(a->changed, b->changed);
}

static void
leave(struct walk *walk, enum carry_left_reason reason, const char *path,
      uint64_t bytes)
{
    const char *wanted = walk->spec->wanted;
    const size_t len = strlen(path);

    carry_left_note(&walk->out->left, reason, path, bytes);
    if (wanted && strncmp(wanted, path, len) == 0 &&
        (!wanted[len] || wanted[len] == '/')) {
        walk->out->is_wanted_left = true;
        walk->out->wanted_why = reason;
    }
}

static void
add_file(struct walk *walk, char **path, const struct stat *st)
{
    const struct carry_bounds *bounds = &walk->spec->bounds;
    struct carry_scan *out = walk->out;
    const uint64_t size = (uint64_t)st->st_size;

    if (size > bounds->file_bytes) {
        leave(walk, CARRY_LEFT_LARGE, *path, size);
    } else if (out->count >= bounds->files) {
        leave(walk, CARRY_LEFT_COUNT, *path, size);
    } else if (size > bounds->total_bytes - walk->bytes) {
        leave(walk, CARRY_LEFT_TOTAL, *path, size);
    } else {
        out->files = xrealloc(out->files, (out->count + 1) * sizeof(*out->files));
        struct carry_file *file = &out->files[out->count++];
        carry_stamp_take(&file->stamp, st);
        file->path = TAKE(*path);
        walk->bytes += size;
    }
}

/* A Python environment is not data: it does not work elsewhere. */
static bool
is_environment(int root, const char *path)
{
    AUTO(mem) char *mark = xasprintf("%s/pyvenv.cfg", path);
    AUTO(fd) int file = carry_path_open(root, mark, O_PATH, 0);

    return file >= 0;
}

static void
add_folder(struct walk *walk, char **path)
{
    if (walk->spec->is_flat || is_environment(walk->spec->root, *path))
        return;
    if (walk->folder_count == MAX_FOLDERS) {
        leave(walk, CARRY_LEFT_DEEP, *path, 0);
        return;
    }
    walk->folders =
        xrealloc(walk->folders, (walk->folder_count + 1) * sizeof(*walk->folders));
    walk->folders[walk->folder_count++] = TAKE(*path);
}

static void
add(struct walk *walk, int folder, const char *above, const char *name)
{
    AUTO(mem) char *path = xasprintf("%s%s%s", above, *above ? "/" : "", name);
    const char *except = walk->spec->except;
    struct stat st;

    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        carry_ignore_has(walk->ignore, path, S_ISDIR(st.st_mode)) ||
        (except && strcmp(path, except) == 0))
        return;
    if (!carry_path_is_valid(slice_of(path)))
        leave(walk, CARRY_LEFT_NAME, path, 0);
    else if (S_ISDIR(st.st_mode))
        add_folder(walk, &path);
    else if (S_ISREG(st.st_mode))
        add_file(walk, &path, &st);
    else
        leave(walk, S_ISLNK(st.st_mode) ? CARRY_LEFT_LINK : CARRY_LEFT_SPECIAL, path,
              0);
}

static int
compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, so that the same files are carried each time. */
static char **
read_names(struct walk *walk, DIR *listing, const char *above, size_t *count)
{
    char **names = NULL;
    struct dirent *entry;

    *count = 0;
    while ((entry = readdir(listing))) {
        if (carry_path_is_left(entry->d_name))
            continue;
        if (walk->names++ >= MAX_NAMES) {
            leave(walk, CARRY_LEFT_DEEP, *above ? above : entry->d_name, 0);
            break;
        }
        names = xrealloc(names, (*count + 1) * sizeof(*names));
        names[(*count)++] = xstrdup(entry->d_name);
    }
    if (*count)
        qsort(names, *count, sizeof(*names), compare);
    return names;
}

static void
look_into(struct walk *walk, const char *path)
{
    AUTO(fd) int fd = carry_path_open(walk->spec->root, *path ? path : ".",
                                      O_RDONLY | O_DIRECTORY, 0);
    const int folder = fd;
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    size_t count;

    if (!listing) {
        leave(walk, CARRY_LEFT_UNREADABLE, *path ? path : "the folder itself", 0);
        return;
    }
    take_fd(&fd);
    char **names = read_names(walk, listing, path, &count);
    for (size_t i = 0; i < count; i++) {
        add(walk, folder, path, names[i]);
        free(names[i]);
    }
    free(names);
    closedir(listing);
}

void
carry_scan_run(const struct carry_scan_spec *spec, struct carry_scan *out)
{
    struct walk walk = {
        .spec = spec, .out = out, .ignore = carry_ignore_read(spec->root)};

    *out = (struct carry_scan){0};
    look_into(&walk, "");
    for (size_t i = 0; i < walk.folder_count; i++) {
        look_into(&walk, walk.folders[i]);
        free(walk.folders[i]);
    }
    free(walk.folders);
    carry_ignore_free(walk.ignore);
}

void
carry_scan_release(struct carry_scan *scan)
{
    for (size_t i = 0; i < scan->count; i++)
        free(scan->files[i].path);
    free(scan->files);
    *scan = (struct carry_scan){0};
}
