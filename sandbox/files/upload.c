#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "common/limits.h"
#include "sandbox/files/beneath.h"
#include "sandbox/files/identity.h"
#include "sandbox/files/workspace_tree.h"
#include "sandbox/token.h"

enum {
    NAME_BYTES = 8,
};

/* The nearest folder that is there already: the file moves within one file system. */
static int
open_nearest(const struct workspace *workspace, const char *path, struct error *err)
{
    AUTO(mem) char *folder = xstrdup(path);

    for (;;) {
        char *slash = strrchr(folder, '/');
        if (slash)
            *slash = '\0';
        int fd = beneath_open(workspace->root, slash ? folder : ".",
                              O_PATH | O_DIRECTORY, 0, err);
        if (fd >= 0 || !slash || err->kind != ERR_NOT_FOUND)
            return fd;
    }
}

static int
create(struct upload *upload, struct error *err)
{
    char random[2 * NAME_BYTES + 1];

    token_random_hex(random, NAME_BYTES);
    upload->temporary = xasprintf(".cellpod-%s.part", random);
    upload->file = openat(upload->folder, upload->temporary,
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (upload->file >= 0)
        return 0;
    free(TAKE(upload->temporary));
    return beneath_explain(upload->path, err);
}

static int
check_target(const struct upload *upload, struct error *err)
{
    struct stat st;
    struct error ignored;

    if (strcmp(upload->path, ".") == 0)
        return error_set(err, ERR_BAD_INPUT, "the path does not name a file");
    if (workspace_stat(&upload->workspace, upload->path, &st, &ignored) == 0 &&
        S_ISDIR(st.st_mode))
        return error_set(err, ERR_CONFLICT, "%.200s: it is a folder", upload->path);
    return 0;
}

int
upload_begin(struct upload *upload, const struct workspace *workspace, const char *path,
             mode_t mode, struct error *err)
{
    *upload = (struct upload)UPLOAD_INIT;
    upload->path = xstrdup(path);
    upload->mode = mode;
    if (workspace_copy(workspace, &upload->workspace, err) < 0 ||
        check_target(upload, err) < 0)
        return -1;
    AUTO(identity) struct identity as UNUSED = identity_take(workspace->owner);
    upload->folder = open_nearest(workspace, path, err);
    return upload->folder < 0 ? -1 : create(upload, err);
}

int
upload_write(struct upload *upload, const char *data, size_t len, struct error *err)
{
    if (len > LIMIT_FILE_BYTES - upload->size)
        return error_set(err, ERR_TOO_LARGE, "a file may have at most %llu bytes",
                         (unsigned long long)LIMIT_FILE_BYTES);
    upload->size += len;
    while (len) {
        ssize_t done = write(upload->file, data, len);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return beneath_explain(upload->path, err);
        data += done;
        len -= (size_t)done;
    }
    return 0;
}

/* A folder that is there is as good as one that was made. */
static int
make_folders(const struct upload *upload, struct error *err)
{
    for (const char *at = upload->path; (at = strchr(at, '/')); at++) {
        AUTO(mem) char *path = xstrndup(upload->path, (size_t)(at - upload->path));
        const char *slash = strrchr(path, '/');
        AUTO(mem) char *above =
            slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
        AUTO(fd) int parent =
            beneath_open(upload->workspace.root, above, O_PATH | O_DIRECTORY, 0, err);
        if (parent < 0)
            return -1;
        if (mkdirat(parent, slash ? slash + 1 : path, 0755) < 0 && errno != EEXIST)
            return beneath_explain(path, err);
    }
    return 0;
}

/* Somebody may change it right after. */
static int
check_state(const struct upload *upload, int folder, const char *name,
            struct error *err)
{
    char state[WORKSPACE_STATE_SIZE] = "";
    struct stat st;

    if (!upload->unless || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    if (S_ISREG(st.st_mode))
        workspace_state(&st, state);
    if (*state && strcmp(state, upload->unless) == 0)
        return 0;
    return error_set(err, ERR_CONFLICT, "%.200s: it is in another state by now",
                     upload->path);
}

int
upload_end(struct upload *upload, struct error *err)
{
    AUTO(identity) struct identity as UNUSED = identity_take(upload->workspace.owner);
    const char *slash = strrchr(upload->path, '/');
    AUTO(mem) char *parent =
        slash ? xstrndup(upload->path, (size_t)(slash - upload->path)) : xstrdup(".");

    if (fchmod(upload->file, upload->mode) < 0 || make_folders(upload, err) < 0)
        return -1;
    AUTO(fd) int folder =
        beneath_open(upload->workspace.root, parent, O_PATH | O_DIRECTORY, 0, err);
    if (folder < 0)
        return -1;
    const char *name = slash ? slash + 1 : upload->path;
    if (check_state(upload, folder, name, err) < 0)
        return -1;
    if (beneath_check_free(folder, name) < 0 ||
        renameat(upload->folder, upload->temporary, folder, name) < 0)
        return beneath_explain(upload->path, err);
    free(TAKE(upload->temporary));
    return 0;
}

void
upload_release(struct upload *upload)
{
    AUTO(identity) struct identity as UNUSED = identity_take(upload->workspace.owner);

    if (upload->temporary)
        unlinkat(upload->folder, upload->temporary, 0);
    auto_fd(&upload->file);
    auto_fd(&upload->folder);
    free(upload->temporary);
    free(upload->path);
    workspace_release(&upload->workspace);
    *upload = (struct upload)UPLOAD_INIT;
}
