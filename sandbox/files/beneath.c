#include "sandbox/files/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum {
    MAX_TRIES = 64, /* against somebody who keeps renaming */
};

int
beneath_explain(const char *path, struct error *err)
{
    static const struct {
        int sys;
        enum error_kind kind;
        const char *text;
    } rows[] = {
        {ENOENT,       ERR_NOT_FOUND, "there is no such file"                          },
        {ENOTDIR,      ERR_NOT_FOUND, "part of the path is not a directory"            },
        {EXDEV,        ERR_DENIED,    "access denied: it leads out of the workspace"   },
        {ELOOP,        ERR_DENIED,    "access denied: symbolic links that lead nowhere"},
        {EACCES,       ERR_DENIED,    "access denied: its mode forbids it"             },
        {EPERM,        ERR_DENIED,    "access denied"                                  },
        {EROFS,        ERR_DENIED,    "access denied: it is read-only in the sandbox"  },
        {EBUSY,        ERR_DENIED,    "access denied: it is protected in the sandbox"  },
        {EISDIR,       ERR_CONFLICT,  "it is a folder"                                 },
        {EEXIST,       ERR_CONFLICT,  "something else is there"                        },
        {ENOTEMPTY,    ERR_CONFLICT,  "the folder is not empty: ask for recursive=true"},
        {ENXIO,        ERR_CONFLICT,  "it is not a regular file"                       },
        {ENAMETOOLONG, ERR_BAD_INPUT, "a name is too long"                             },
        {ENOSPC,       ERR_TOO_LARGE, "no space is left in the workspace"              },
        {EDQUOT,       ERR_TOO_LARGE, "no space is left in the workspace"              },
        {EAGAIN,       ERR_BUSY,      "it is being renamed: try again"                 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].sys == errno)
            return error_set(err, rows[i].kind, "%.200s: %s", path, rows[i].text);
    return error_sys(err, "%.200s", path);
}

int
beneath_check_free(int folder, const char *name)
{
    struct statx st;

    /* Without AT_NO_AUTOMOUNT, which gVisor of before 2023 refuses. */
    if (statx(folder, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st) < 0)
        return errno == ENOENT ? 0 : -1;
    if (!(st.stx_attributes & STATX_ATTR_MOUNT_ROOT))
        return 0;
    errno = EBUSY;
    return -1;
}

/* One folder down; what is a symbolic link is none. */
static int
step(int folder, const char *name, size_t len, int flags, mode_t mode)
{
    AUTO(mem) char *copy = xstrndup(name, len);

    return openat(folder, copy, flags | O_NOFOLLOW | O_CLOEXEC, mode);
}

static int
walk(int root, const char *path, int flags, mode_t mode)
{
    AUTO(fd) int folder = fcntl(root, F_DUPFD_CLOEXEC, 0);

    for (;;) {
        size_t len = strcspn(path, "/");
        if (folder < 0 || !path[len])
            return folder < 0 ? -1 : step(folder, path, len, flags, mode);
        int next = step(folder, path, len, O_PATH | O_DIRECTORY, 0);
        auto_fd(&folder);
        folder = next;
        path += len + 1;
    }
}

static int
open_once(int root, const char *path, int flags, mode_t mode)
{
    static bool has_no_openat2;
    struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC),
                           .mode = flags & O_CREAT ? mode : 0,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};

    if (!has_no_openat2) {
        int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
        if (fd >= 0 || errno != ENOSYS)
            return fd;
        has_no_openat2 = true;
    }
    return walk(root, path, flags, mode);
}

int
beneath_open(int root, const char *path, int flags, mode_t mode, struct error *err)
{
    for (int i = 0; i < MAX_TRIES; i++) {
        int fd = open_once(root, path, flags, mode);
        if (fd >= 0)
            return fd;
        if (errno != EAGAIN && errno != EINTR)
            break;
    }
    return beneath_explain(path, err);
}
