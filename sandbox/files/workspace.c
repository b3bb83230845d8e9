#include "sandbox/files/workspace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "common/limits.h"
#include "sandbox/files/beneath.h"
#include "sandbox/files/identity.h"

void
workspace_release(struct workspace *workspace)
{
    auto_fd(&workspace->root);
    *workspace = (struct workspace)WORKSPACE_INIT;
}

int
workspace_set(struct workspace *workspace, int root, int64_t owner, struct error *err)
{
    AUTO(fd) int taken = root;
    struct stat st;

    if (taken < 0 || fstat(taken, &st) < 0 || !S_ISDIR(st.st_mode))
        return error_set(err, ERR_BAD_INPUT, "the workspace is not a folder");
    workspace_release(workspace);
    *workspace = (struct workspace){take_fd(&taken), owner};
    return 0;
}

int
workspace_copy(const struct workspace *workspace, struct workspace *out,
               struct error *err)
{
    int root = fcntl(workspace->root, F_DUPFD_CLOEXEC, 0);

    if (root < 0)
        return error_set(err, ERR_UNAVAILABLE,
                         "the sandbox has no workspace right now");
    *out = (struct workspace){root, workspace->owner};
    return 0;
}

int
workspace_stat(const struct workspace *workspace, const char *path, struct stat *st,
               struct error *err)
{
    AUTO(identity) struct identity as UNUSED = identity_take(workspace->owner);
    AUTO(fd) int file = beneath_open(workspace->root, path, O_PATH, 0, err);

    if (file < 0)
        return -1;
    return fstat(file, st) < 0 ? beneath_explain(path, err) : 0;
}

/* Looked at first: to open a FIFO would wake its writer. What is opened may be another
 * thing by then, so it is looked at again, and O_NONBLOCK waits for nobody. */
int
workspace_open(const struct workspace *workspace, const char *path, struct stat *st,
               struct error *err)
{
    if (workspace_stat(workspace, path, st, err) < 0)
        return -1;
    if (S_ISDIR(st->st_mode))
        return -2;
    if (!S_ISREG(st->st_mode))
        return error_set(err, ERR_CONFLICT, "%.200s: it is not a regular file", path);
    AUTO(identity) struct identity as UNUSED = identity_take(workspace->owner);
    AUTO(fd) int file =
        beneath_open(workspace->root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, err);
    if (file < 0)
        return -1;
    if (fstat(file, st) < 0 || !S_ISREG(st->st_mode))
        return error_set(err, ERR_CONFLICT, "%.200s: it is not a regular file", path);
    return take_fd(&file);
}

/* --- listing --- */

static void
add_entry(json_t *entries, const char *name, const struct stat *st)
{
    char mode[8];
    json_t *text = json_string(name);

    if (!text || !(S_ISREG(st->st_mode) || S_ISDIR(st->st_mode))) {
        json_decref(text); /* a name that is not UTF-8 cannot be said in JSON */
        return;
    }
    snprintf(mode, sizeof(mode), "0%03o", st->st_mode & 0777);
    json_array_append_new(
        entries,
        json_pack("{s:o, s:I, s:s, s:f, s:s}", "name", text, "size",
                  (json_int_t)st->st_size, "type",
                  S_ISDIR(st->st_mode) ? "directory" : "file", "mtime",
                  (double)st->st_mtim.tv_sec + (double)st->st_mtim.tv_nsec / 1e9,
                  "mode", mode));
}

static void
list_entry(const struct workspace *workspace, DIR *folder, const char *path,
           const char *name, json_t *entries)
{
    AUTO(mem) char *whole = xasprintf("%s/%s", path, name);
    struct error ignored;
    struct stat st;

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
        fstatat(dirfd(folder), name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    if (S_ISLNK(st.st_mode) && workspace_stat(workspace, whole, &st, &ignored) < 0)
        return;
    add_entry(entries, name, &st);
}

static int
list_folder(const struct workspace *workspace, DIR *folder, const char *path,
            json_t *entries, struct error *err)
{
    struct dirent *entry;

    while ((entry = readdir(folder))) {
        if (json_array_size(entries) >= LIMIT_LISTED_FILES)
            return error_set(err, ERR_TOO_LARGE,
                             "%.200s: it contains more than %d files; list it from "
                             "inside the sandbox",
                             path, LIMIT_LISTED_FILES);
        list_entry(workspace, folder, path, entry->d_name, entries);
    }
    return 0;
}

static DIR *
open_folder(const struct workspace *workspace, const char *path, struct error *err)
{
    AUTO(identity) struct identity as UNUSED = identity_take(workspace->owner);
    int fd = beneath_open(workspace->root, path, O_RDONLY | O_DIRECTORY, 0, err);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);

    if (fd >= 0 && !folder) {
        beneath_explain(path, err);
        close(fd);
    }
    return folder;
}

json_t *
workspace_list(const struct workspace *workspace, const char *path, struct error *err)
{
    json_auto_t *entries = json_array();
    DIR *folder = open_folder(workspace, path, err);

    if (!folder)
        return NULL;
    int listed = list_folder(workspace, folder, path, entries, err);
    closedir(folder);
    return listed < 0 ? NULL : TAKE(entries);
}

/* --- removal --- */

/* The folder that holds it, and its name in there. */
static int
open_parent(const struct workspace *workspace, const char *path, const char **name,
            struct error *err)
{
    const char *slash = strrchr(path, '/');
    AUTO(mem) char *parent =
        slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");

    *name = slash ? slash + 1 : path;
    return beneath_open(workspace->root, parent, O_PATH | O_DIRECTORY, 0, err);
}

static int remove_tree(int parent, const char *name, int depth, int *left);

static int
empty_folder(DIR *folder, int depth, int *left)
{
    struct dirent *entry;

    while ((entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (remove_tree(dirfd(folder), entry->d_name, depth + 1, left) < 0)
            return -1;
    }
    return 0;
}

/* 0: it was not a folder, and is gone; 1: it is one. */
static int
remove_plain(int parent, const char *name)
{
    if (beneath_check_free(parent, name) < 0)
        return -1;
    if (unlinkat(parent, name, 0) == 0)
        return 0;
    return errno == EISDIR ? 1 : -1;
}

/* Never through a symbolic link; what is not a folder is unlinked. */
static int
remove_tree(int parent, const char *name, int depth, int *left)
{
    if (depth > LIMIT_REMOVED_DEPTH || --*left < 0) {
        errno = E2BIG;
        return -1;
    }
    int is_folder = remove_plain(parent, name);
    if (is_folder <= 0)
        return is_folder;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        auto_fd(&fd);
        return -1;
    }
    int emptied = empty_folder(folder, depth, left);
    int sys = errno;
    closedir(folder);
    errno = sys;
    return emptied < 0 ? -1 : unlinkat(parent, name, AT_REMOVEDIR);
}

static int
remove_one(int parent, const char *name, bool recursive)
{
    int left = LIMIT_REMOVED_FILES;

    if (recursive)
        return remove_tree(parent, name, 0, &left);
    int is_folder = remove_plain(parent, name);
    return is_folder <= 0 ? is_folder : unlinkat(parent, name, AT_REMOVEDIR);
}

int
workspace_remove(const struct workspace *workspace, const char *path, bool recursive,
                 struct error *err)
{
    const char *name;

    if (strcmp(path, ".") == 0)
        return error_set(err, ERR_DENIED,
                         "access denied: the workspace itself cannot be removed");
    AUTO(identity) struct identity as UNUSED = identity_take(workspace->owner);
    AUTO(fd) int parent = open_parent(workspace, path, &name, err);
    if (parent < 0)
        return -1;
    if (remove_one(parent, name, recursive) == 0)
        return 0;
    if (errno == E2BIG)
        return error_set(err, ERR_TOO_LARGE,
                         "%.200s: more than %d files or %d levels; part of it has been "
                         "removed; remove the rest from inside the sandbox",
                         path, LIMIT_REMOVED_FILES, LIMIT_REMOVED_DEPTH);
    return beneath_explain(path, err);
}
