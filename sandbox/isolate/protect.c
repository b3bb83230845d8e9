#include "sandbox/isolate/protect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "sandbox/isolate/mount.h"

enum {
    OTHER_DESCRIPTORS = 64 /* that are open meanwhile */
};

/* A folder that is looked into. Pinned: a mount of its own, so that nobody inside can
 * move it away and put another one in its place; fd is that mount's root then. */
struct folder {
    int fd; /* owned from scan.next on */
    size_t parent;
    bool is_pinned, is_sealed; /* sealed: read-only, with all that is in it */
    char name[NAME_MAX + 1];
};

struct scan {
    int cover; /* an empty file */
    bool is_writable;
    long entries;                           /* seen below the folder itself */
    unsigned mounts;                        /* on what is protected */
    unsigned unseen;                        /* folders that are read-only unseen */
    size_t room;                            /* folders that may be open */
    struct folder folders[PROTECT_FOLDERS]; /* in order of depth */
    size_t next, count;
    struct isolate_failure *failure;
};

enum treatment {
    LEAVE,
    SEAL,
    COVER,
    ENTER,
};

/* Beside notebooks, and what begins with a dot: what programs run that are started for
 * something else. A row without a dot is a whole name, one with a dot in front an
 * ending. */
static const char *const acted_on[] = {
    "GNUmakefile",
    "Justfile",
    "Makefile",
    "conftest.py",
    "justfile",
    "makefile",
    "noxfile.py",
    "setup.py",
    "sitecustomize.py",
    "usercustomize.py",
    /* endings */
    ".code-workspace",
    ".desktop",
    ".ipynb",
    ".pth",
};

static bool
ends_with(const char *name, const char *ending)
{
    size_t len = strlen(name), ending_len = strlen(ending);

    return len >= ending_len && strcmp(name + len - ending_len, ending) == 0;
}

/* jupyter_server_config.py, jupyter_lab_config.json: read from where Jupyter is
 * started. */
static bool
is_jupyter_config(const char *name)
{
    return strncmp(name, "jupyter_", strlen("jupyter_")) == 0 &&
           (ends_with(name, "config.py") || ends_with(name, "config.json"));
}

static bool
is_acted_on(const char *name)
{
    if (name[0] == '.' || is_jupyter_config(name))
        return true;
    for (size_t i = 0; i < COUNT_OF(acted_on); i++)
        if (acted_on[i][0] == '.' ? ends_with(name, acted_on[i])
                                  : strcmp(name, acted_on[i]) == 0)
            return true;
    return false;
}

static bool
has_entry(int folder, const char *name)
{
    struct stat status;

    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A file with a second name is also somewhere else, perhaps in the user's home; one
 * with a set-user-id bit runs as its owner for everybody. */
static enum treatment
treatment_of_file(const struct stat *status, const char *name)
{
    bool is_shared = status->st_nlink > 1;
    bool is_privileged = status->st_mode & (S_ISUID | S_ISGID);

    return is_shared || is_privileged || is_acted_on(name) ? SEAL : LEAVE;
}

/* Of Python or of Node: programs, and links into a store of all projects. */
static bool
is_environment(int entry, const char *name)
{
    return has_entry(entry, "pyvenv.cfg") || has_entry(entry, "conda-meta") ||
           strcmp(name, "node_modules") == 0;
}

static enum treatment
treatment_of(int entry, const char *name)
{
    struct stat status;

    if (fstat(entry, &status) < 0)
        return LEAVE;
    if (S_ISSOCK(status.st_mode) || S_ISFIFO(status.st_mode))
        return COVER;
    if (S_ISREG(status.st_mode))
        return treatment_of_file(&status, name);
    if (!S_ISDIR(status.st_mode))
        return LEAVE;
    return name[0] == '.' || is_environment(entry, name) ? SEAL : ENTER;
}

static bool
is_gone(void)
{
    return errno == ELOOP || errno == ENOENT; /* other sandboxes may work here */
}

static int
lay_over(int source, int entry)
{
    AUTO(fd) int mount = mount_copy(source);

    if (mount < 0 || mount_restrict(mount, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
                                               MOUNT_ATTR_NODEV) < 0)
        return -1;
    return mount_attach(mount, entry);
}

static bool
is_same_inode(int a, int b)
{
    struct stat left, right;

    return fstat(a, &left) == 0 && fstat(b, &right) == 0 &&
           left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/* From the top: a mount on a folder hides what was mounted on what lies below it
 * before. Returns 0, 1 when the folder is gone, or -1. */
static int
pin(struct scan *scan, size_t index)
{
    struct folder *folder = &scan->folders[index];

    if (folder->is_pinned)
        return 0;
    int above = pin(scan, folder->parent);
    if (above)
        return above;

    AUTO(fd) int here = mount_open_exact(scan->folders[folder->parent].fd, folder->name,
                                         RESOLVE_BENEATH);
    if (here < 0)
        return is_gone() ? 1 : -1;
    if (!is_same_inode(here, folder->fd))
        return 1;
    AUTO(fd) int mount = mount_copy(here);
    if (mount < 0 || mount_attach(mount, here) < 0)
        return errno == ENOENT ? 1 : -1;
    close(folder->fd);
    folder->fd = take_fd(&mount);
    folder->is_pinned = true;
    return 0;
}

static void
note_unseen(struct scan *scan, const char *name)
{
    char *notice = scan->failure->notice;
    const size_t size = sizeof(scan->failure->notice);

    if (scan->unseen++ == 0)
        snprintf(
            notice, size,
            "There is more in this folder than cellpod can look through for what "
            "a cell must not change. The rest is read-only for cells, from `%.80s' "
            "on. Start the notebook in a smaller folder, or mount the data.",
            name);
    for (char *at = notice; *at; at++) /* the name may be a cell's */
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            *at = '?';
}

/* With all that is in it, looked at or not. */
static int
seal_folder(struct scan *scan, size_t index)
{
    const char *name = index ? scan->folders[index].name : ".";

    if (!scan->is_writable || scan->folders[index].is_sealed)
        return 0;
    int pinned = pin(scan, index);

    if (pinned)
        return pinned < 0 ? failed(scan->failure, "hold %s", name) : 0;
    note_unseen(scan, name);
    if (mount_restrict(scan->folders[index].fd, MOUNT_ATTR_RDONLY) < 0)
        return failed(scan->failure, "protect %s", name);
    scan->folders[index].is_sealed = true;
    return 0;
}

/* `source` -1: the entry itself, read-only. */
static int
hold(struct scan *scan, size_t index, const char *name, int source)
{
    int pinned = pin(scan, index);

    if (pinned)
        return pinned < 0 ? failed(scan->failure, "hold the folder of %s", name) : 0;
    if (source < 0 && scan->mounts++ >= PROTECT_MOUNTS)
        return seal_folder(scan, index);
    AUTO(fd) int entry =
        mount_open_exact(scan->folders[index].fd, name, RESOLVE_BENEATH);
    if (entry < 0)
        return is_gone() ? 0 : failed(scan->failure, "check %s", name);
    if (lay_over(source < 0 ? entry : source, entry) < 0 && errno != ENOENT)
        return failed(scan->failure, source < 0 ? "protect %s" : "cover %s", name);
    return 0;
}

static int
seal_unseen(struct scan *scan, size_t index, const char *name)
{
    if (!scan->is_writable)
        return 0;
    note_unseen(scan, name);
    return hold(scan, index, name, -1);
}

static int
enter_later(struct scan *scan, size_t parent, const char *name, int *entry)
{
    if (scan->count >= scan->room)
        return seal_unseen(scan, parent, name);
    struct folder *folder = &scan->folders[scan->count++];
    folder->fd = take_fd(entry);
    folder->parent = parent;
    folder->is_pinned = folder->is_sealed = false;
    snprintf(folder->name, sizeof(folder->name), "%s", name);
    return 0;
}

static int
treat(struct scan *scan, size_t index, const char *name)
{
    AUTO(fd) int entry =
        mount_open_exact(scan->folders[index].fd, name, RESOLVE_BENEATH);

    if (entry < 0)
        return is_gone() ? 0 : failed(scan->failure, "check %s", name);
    switch (treatment_of(entry, name)) {
    case LEAVE:
        break;
    case SEAL:
        return scan->is_writable ? hold(scan, index, name, -1) : 0;
    case COVER:
        return hold(scan, index, name, scan->cover);
    case ENTER:
        return enter_later(scan, index, name, &entry);
    }
    return 0;
}

static bool
may_go_on(const struct scan *scan)
{
    return scan->next <= 1 || scan->entries < PROTECT_ENTRIES;
}

/* For each entry of one buffer of getdents64(2). */
static int
treat_entries(struct scan *scan, size_t index, const char *buffer, long len)
{
    for (long at = 0; at < len && may_go_on(scan);) {
        const struct dirent64 *entry = (const void *)(buffer + at);
        at += entry->d_reclen;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        scan->entries += scan->next > 1;
        if (treat(scan, index, entry->d_name) < 0)
            return -1;
    }
    return 0;
}

static int
scan_folder(struct scan *scan, size_t index)
{
    _Alignas(struct dirent64) char buffer[8192];
    AUTO(fd) int listing =
        openat(scan->folders[index].fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long len = 1;

    if (listing < 0 && errno == EACCES)
        return 0; /* another user's, and unreadable inside too */
    while (listing >= 0 && len > 0 && may_go_on(scan)) {
        len = syscall(SYS_getdents64, listing, buffer, sizeof(buffer));
        if (treat_entries(scan, index, buffer, len) < 0)
            return -1;
    }
    if (!may_go_on(scan))
        return seal_folder(scan, index);
    if (listing >= 0 && len >= 0)
        return 0;
    return errno == ENOENT ? 0 : failed(scan->failure, "find what to protect");
}

static int
scan_all(struct scan *scan)
{
    while (scan->next < scan->count)
        if (scan_folder(scan, scan->next++) < 0)
            return -1;
    return 0;
}

/* As many descriptors as there may be; what sandboxd's own user set comes back, and the
 * sandbox's limit later. */
static int
make_room(struct scan *scan, struct rlimit *before)
{
    if (getrlimit(RLIMIT_NOFILE, before) < 0)
        return failed(scan->failure, "ask for the limit of open files");
    const struct rlimit all = {before->rlim_max, before->rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &all) < 0)
        return failed(scan->failure, "raise the limit of open files");
    scan->room = 1;
    if (all.rlim_cur >= PROTECT_FOLDERS + OTHER_DESCRIPTORS)
        scan->room = PROTECT_FOLDERS;
    else if (all.rlim_cur > OTHER_DESCRIPTORS)
        scan->room = all.rlim_cur - OTHER_DESCRIPTORS;
    return 0;
}

static int
scan_from(struct scan *scan, int mount)
{
    scan->folders[0].fd = fcntl(mount, F_DUPFD_CLOEXEC, 3);
    scan->folders[0].is_pinned = true;
    if (scan->folders[0].fd < 0)
        return failed(scan->failure, "find what to protect");
    scan->count = 1;
    int result = scan_all(scan);
    while (scan->count)
        close(scan->folders[--scan->count].fd);
    return result;
}

int
protect(int mount, bool is_writable, int scratch, struct isolate_failure *failure)
{
    AUTO(fd) int cover = mount_open_exact(scratch, "empty-file", RESOLVE_BENEATH);
    AUTO(mem) struct scan *scan = calloc(1, sizeof(*scan));
    struct rlimit before;

    if (cover < 0 || !scan)
        return failed(failure, "find what to protect");
    scan->is_writable = is_writable;
    scan->failure = failure;
    scan->cover = cover;
    if (make_room(scan, &before) < 0 || scan_from(scan, mount) < 0)
        return -1;
    if (setrlimit(RLIMIT_NOFILE, &before) < 0)
        return failed(failure, "set the limit of open files back");
    return 0;
}
