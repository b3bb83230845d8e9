#include "sandbox/isolate/protect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "sandbox/isolate/mount.h"

struct scan {
    int cover; /* an empty file */
    bool is_writable;
    long entries;                 /* seen below the folder itself */
    int folders[PROTECT_FOLDERS]; /* seen, in order of depth; owned from `next` on */
    size_t next, count;
    struct isolate_failure *failure;
};

enum treatment {
    LEAVE,
    SEAL,
    COVER,
    ENTER,
};

static bool
ends_with(const char *name, const char *ending)
{
    size_t len = strlen(name), ending_len = strlen(ending);

    return len >= ending_len && strcmp(name + len - ending_len, ending) == 0;
}

static bool
has_entry(int folder, const char *name)
{
    struct stat status;

    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static enum treatment
treatment_of(int entry, const char *name)
{
    struct stat status;

    if (fstat(entry, &status) < 0)
        return LEAVE;
    if (S_ISSOCK(status.st_mode))
        return COVER;
    if (S_ISREG(status.st_mode))
        return name[0] == '.' || ends_with(name, ".ipynb") ? SEAL : LEAVE;
    if (!S_ISDIR(status.st_mode))
        return LEAVE;
    bool is_python = has_entry(entry, "pyvenv.cfg") || has_entry(entry, "conda-meta");
    return name[0] == '.' || is_python ? SEAL : ENTER;
}

/* What was looked at is what gets covered: both go by the descriptor, not the name. */
static int
lay_over(int source, int entry)
{
    AUTO(fd) int mount = mount_copy(source);

    if (mount < 0 || mount_restrict(mount, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
                                               MOUNT_ATTR_NODEV) < 0)
        return -1;
    return mount_attach(mount, entry);
}

static int
treat(struct scan *scan, int folder, const char *name)
{
    AUTO(fd) int entry = open_exact(folder, name, RESOLVE_BENEATH);

    if (entry < 0 && (errno == ELOOP || errno == ENOENT))
        return 0; /* a symbolic link, or gone: other sandboxes may work here */
    if (entry < 0)
        return failed(scan->failure, "look at %s", name);
    switch (treatment_of(entry, name)) {
    case LEAVE:
        break;
    case SEAL:
        if (scan->is_writable && lay_over(entry, entry) < 0 && errno != ENOENT)
            return failed(scan->failure, "protect %s", name);
        break;
    case COVER:
        if (lay_over(scan->cover, entry) < 0 && errno != ENOENT)
            return failed(scan->failure, "cover %s", name);
        break;
    case ENTER:
        if (scan->count < PROTECT_FOLDERS)
            scan->folders[scan->count++] = take_fd(&entry);
        break;
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
treat_entries(struct scan *scan, int folder, const char *buffer, long len)
{
    for (long at = 0; at < len && may_go_on(scan);) {
        const struct dirent64 *entry = (const void *)(buffer + at);
        at += entry->d_reclen;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        scan->entries += scan->next > 1;
        if (treat(scan, folder, entry->d_name) < 0)
            return -1;
    }
    return 0;
}

static int
scan_folder(struct scan *scan, int folder)
{
    _Alignas(struct dirent64) char buffer[8192];
    AUTO(fd) int listing = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long len = 1;

    if (listing < 0 && errno == EACCES)
        return 0; /* another user's, and unreadable inside too */
    while (listing >= 0 && len > 0 && may_go_on(scan)) {
        len = syscall(SYS_getdents64, listing, buffer, sizeof(buffer));
        if (treat_entries(scan, folder, buffer, len) < 0)
            return -1;
    }
    if (listing >= 0 && len >= 0)
        return 0;
    return errno == ENOENT ? 0 : failed(scan->failure, "look for what to protect");
}

static int
scan_all(struct scan *scan)
{
    while (scan->next < scan->count) {
        AUTO(fd) int folder = scan->folders[scan->next++];
        if (scan_folder(scan, folder) < 0)
            return -1;
    }
    return 0;
}

int
protect(int mount, bool is_writable, int scratch, struct isolate_failure *failure)
{
    struct scan scan = {.is_writable = is_writable, .failure = failure};
    AUTO(fd) int cover = open_exact(scratch, "empty-file", RESOLVE_BENEATH);

    scan.cover = cover;
    scan.folders[0] = fcntl(mount, F_DUPFD_CLOEXEC, 3);
    if (cover < 0 || scan.folders[0] < 0)
        return failed(failure, "look for what to protect");
    scan.count = 1;
    int result = scan_all(&scan);
    while (scan.next < scan.count)
        close(scan.folders[scan.next++]);
    return result;
}
