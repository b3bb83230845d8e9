#include "sandbox/isolate/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>

#include "sandbox/isolate/mount.h"
#include "sandbox/isolate/protect.h"
#include "sandbox/isolate/tree_contents.h"

#define READ_ONLY (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID)

/* Below the scratch file system's own root, which no one sees once /tmp is covered. */
#define EMPTY_FILE   "empty-file"
#define ZEROES_FILE  "zeroes"
#define ZEROES_BYTES ((off_t)1 << 60)
#define EMPTY_FOLDER "empty-folder"

static int
is_same_file_system(int a, int b)
{
    struct stat left, right;

    return a >= 0 && b >= 0 && fstat(a, &left) == 0 && fstat(b, &right) == 0 &&
           left.st_dev == right.st_dev;
}

/* Folders are made in our own file systems only, never in the user's. */
static bool
is_ours(const struct tree *tree, int folder)
{
    return is_same_file_system(folder, tree->root) ||
           is_same_file_system(folder, tree->scratch);
}

/* The next component of a path, with the slashes around it taken off. */
static const char *
next_component(const char *path, char name[NAME_MAX + 1])
{
    size_t len;

    path += strspn(path, "/");
    len = strcspn(path, "/");
    snprintf(name, NAME_MAX + 1, "%.*s", (int)len, path);
    return path + len + strspn(path + len, "/");
}

static int
open_in(int folder, const char *name)
{
    return mount_open_exact(folder, name, RESOLVE_BENEATH);
}

static int
make_node(const struct tree *tree, int folder, const char *name, bool is_folder)
{
    if (!is_ours(tree, folder)) {
        errno = ENOENT;
        return -1;
    }
    if (is_folder)
        return mkdirat(folder, name, 0755);

    AUTO(fd) int file = openat(
        folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
    return file < 0 ? -1 : 0;
}

/* Where something may be attached: made if it is not there, and so are its parents. No
 * symbolic link on the way is followed, since the user's folders may hold any. */
static int
open_place(const struct tree *tree, const char *path, bool is_folder)
{
    char name[NAME_MAX + 1];
    AUTO(fd) int at = fcntl(tree->root, F_DUPFD_CLOEXEC, 3);

    while (at >= 0 && path[strspn(path, "/")]) {
        path = next_component(path, name);
        int next = open_in(at, name);
        if (next < 0 && errno == ENOENT &&
            make_node(tree, at, name, *path || is_folder) == 0)
            next = open_in(at, name);
        close(at);
        at = next;
    }
    return take_fd(&at);
}

static bool
is_folder(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Attach a mount, and say where it is now. */
static int
attach(const struct tree *tree, int mount, const char *path)
{
    AUTO(fd) int place = open_place(tree, path, is_folder(mount));

    return place < 0 ? -1 : mount_attach(mount, place);
}

/* Put what a descriptor refers to at a path, with these attributes. */
static int
bind_to(const struct tree *tree, int source, const char *path, uint64_t attributes)
{
    AUTO(fd) int mount = mount_copy(source);

    if (mount < 0 || mount_restrict(mount, attributes) < 0)
        return -1;
    return attach(tree, mount, path);
}

int
tree_make_private(struct tree *tree UNUSED, struct isolate_failure *failure UNUSED)
{
    return mount_make_private("/");
}

int
tree_make_root(struct tree *tree, struct isolate_failure *failure UNUSED)
{
    static const struct mount_option options[] = {
        {"size",      "4m"  },
        {"nr_inodes", "1024"},
        {"mode",      "0755"},
        {NULL,        NULL  }
    };

    umask(022);
    AUTO(fd) int old = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    tree->root = mount_new("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    if (old < 0 || tree->root < 0)
        return -1;
    return mount_attach(tree->root, old);
}

static int
write_text(const struct tree *tree, const char *path, const char *text)
{
    AUTO(fd) int file =
        openat(tree->root, path + 1,
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
    ssize_t len = (ssize_t)strlen(text);

    return file >= 0 && write(file, text, (size_t)len) == len ? 0 : -1;
}

int
tree_add_folders(struct tree *tree, struct isolate_failure *failure)
{
    for (size_t i = 0; tree_folders[i]; i++)
        if (mkdirat(tree->root, tree_folders[i] + 1, 0755) < 0)
            return failed(failure, "make %s", tree_folders[i]);
    for (size_t i = 0; tree_texts[i].path; i++)
        if (write_text(tree, tree_texts[i].path, tree_texts[i].text) < 0)
            return failed(failure, "write %s", tree_texts[i].path);
    for (size_t i = 0; tree_links[i].path; i++)
        if (symlinkat(tree_links[i].target, tree->root, tree_links[i].path + 1) < 0)
            return failed(failure, "link %s", tree_links[i].path);
    return 0;
}

/* /home/sandbox becomes home-sandbox in the scratch file system. */
static void
scratch_name(const char *path, char name[NAME_MAX + 1])
{
    snprintf(name, NAME_MAX + 1, "%s", path + 1);
    for (char *slash = name; (slash = strchr(slash, '/'));)
        *slash = '-';
}

static int
add_scratch_folder(struct tree *tree, const char *path)
{
    bool is_tmp = strstr(path, "tmp") || strstr(path, "shm");
    char name[NAME_MAX + 1];

    scratch_name(path, name);
    if (mkdirat(tree->scratch, name, 0700) < 0 ||
        fchmodat(tree->scratch, name, is_tmp ? 01777 : 0755, 0) < 0)
        return -1;
    if (tree->plan->sandbox_id >= 0 &&
        fchownat(tree->scratch, name, (uid_t)tree->plan->sandbox_id,
                 (gid_t)tree->plan->sandbox_id, 0) < 0)
        return -1;

    AUTO(fd) int folder = open_in(tree->scratch, name);
    return folder < 0 ? -1 : bind_to(tree, folder, path, MOUNT_ATTR_NOSUID);
}

static int
make_scratch(struct tree *tree)
{
    char size[32], inodes[32];
    const struct mount_option options[] = {
        {"size",      size  },
        {"nr_inodes", inodes},
        {"mode",      "0711"},
        {NULL,        NULL  }
    };

    snprintf(size, sizeof(size), "%um", tree->plan->tmp_mb);
    snprintf(inodes, sizeof(inodes), "%u", 16384 + tree->plan->tmp_mb * 64);
    tree->scratch = mount_new("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    if (tree->scratch < 0 || mkdirat(tree->scratch, EMPTY_FOLDER, 0555) < 0)
        return -1;

    AUTO(fd) int empty = openat(tree->scratch, EMPTY_FILE,
                                O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (empty < 0)
        return -1;
    return attach(tree, tree->scratch, tree_scratch_folders[0]);
}

int
tree_add_scratch(struct tree *tree, struct isolate_failure *failure)
{
    if (make_scratch(tree) < 0)
        return failed(failure, "mount a tmpfs of %u MB", tree->plan->tmp_mb);
    for (size_t i = 1; tree_scratch_folders[i]; i++)
        if (add_scratch_folder(tree, tree_scratch_folders[i]) < 0)
            return failed(failure, "mount %s", tree_scratch_folders[i]);
    if (add_scratch_folder(tree, tree_scratch_folders[0]) < 0)
        return failed(failure, "mount %s", tree_scratch_folders[0]);
    return 0;
}

static int
copy_link(const struct tree *tree, const char *path, const char *target)
{
    char name[NAME_MAX + 1];
    const char *slash = strrchr(path, '/');
    AUTO(mem) char *parent = strndup(path, (size_t)(slash - path));
    AUTO(fd) int folder = open_place(tree, parent, true);

    next_component(slash, name);
    return folder < 0 ? -1 : symlinkat(target, folder, name);
}

static int
add_system_path(const struct tree *tree, const char *path, bool keeps_link)
{
    char target[PATH_MAX] = "";

    if (keeps_link && readlink(path, target, sizeof(target) - 1) > 0)
        return copy_link(tree, path, target);

    AUTO(fd) int source = open(path, O_PATH | O_CLOEXEC);
    if (source < 0) /* not there, or not for this user: then not for the sandbox */
        return errno == ENOENT || errno == EACCES || errno == ENOTDIR ? 0 : -1;
    return bind_to(tree, source, path, READ_ONLY | MOUNT_ATTR_NODEV);
}

int
tree_add_system(struct tree *tree, struct isolate_failure *failure)
{
    for (size_t i = 0; tree_system_paths[i].path; i++)
        if (add_system_path(tree, tree_system_paths[i].path,
                            tree_system_paths[i].keeps_link) < 0)
            return failed(failure, "show %s", tree_system_paths[i].path);
    if ((tree->plan->waived & 1u << ISOLATE_NETWORK) &&
        add_system_path(tree, "/etc/resolv.conf", false) < 0)
        return failed(failure, "show /etc/resolv.conf");
    return 0;
}

static int
add_terminals(const struct tree *tree)
{
    static const struct mount_option options[] = {
        {"mode",     "0620"},
        {"ptmxmode", "0666"},
        {NULL,       NULL  }
    };
    AUTO(fd) int mount =
        mount_new("devpts", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);

    return mount < 0 ? -1 : attach(tree, mount, "/dev/pts");
}

/* Who maps /dev/zero to share it gets memory that no look shows. A file that is all
 * hole reads the same, and what is mapped of it counts as scratch. */
static int
open_zeroes(const struct tree *tree)
{
    AUTO(fd) int file = openat(tree->scratch, ZEROES_FILE,
                               O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);

    if (file < 0 || ftruncate(file, ZEROES_BYTES) < 0)
        return -1;
    return open_in(tree->scratch, ZEROES_FILE);
}

static int
open_device(const struct tree *tree, const char *path)
{
    if (tree->plan->is_metered && strcmp(path, "/dev/zero") == 0)
        return open_zeroes(tree);
    return open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* A read-only mount lets devices be written, but not their inodes. */
int
tree_add_devices(struct tree *tree, struct isolate_failure *failure)
{
    for (size_t i = 0; tree_devices[i]; i++) {
        AUTO(fd) int source = open_device(tree, tree_devices[i]);
        if (source < 0 ||
            bind_to(tree, source, tree_devices[i], READ_ONLY | MOUNT_ATTR_NOEXEC) < 0)
            return failed(failure, "show %s", tree_devices[i]);
    }
    if (add_terminals(tree) < 0)
        return failed(failure, "mount /dev/pts");
    return 0;
}

static int
mask(const struct tree *tree, const char *path)
{
    AUTO(fd) int place = open_in(tree->root, path + 1);

    if (place < 0)
        return errno == ENOENT ? 0 : -1;
    AUTO(fd) int source =
        open_in(tree->scratch, is_folder(place) ? EMPTY_FOLDER : EMPTY_FILE);
    return source < 0 ? -1 : bind_to(tree, source, path, READ_ONLY | MOUNT_ATTR_NOEXEC);
}

int
tree_add_proc(struct tree *tree, struct isolate_failure *failure)
{
    static const struct mount_option options[] = {
        {NULL, NULL}
    };
    AUTO(fd) int mount = mount_new(
        "proc", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);

    if (mount < 0 || attach(tree, mount, "/proc") < 0)
        return failed(failure, "mount /proc");
    tree->proc = mount_copy(mount);
    if (tree->proc < 0)
        return failed(failure, "keep a writable /proc for the next steps");
    for (size_t i = 0; tree_masked[i]; i++)
        if (mask(tree, tree_masked[i]) < 0)
            return failed(failure, "mask %s", tree_masked[i]);
    return mount_restrict(mount, MOUNT_ATTR_RDONLY);
}

static int
add_bind(const struct tree *tree, const struct isolate_bind *bind,
         struct isolate_failure *failure)
{
    bool is_users = bind->flags & BIND_USERS;
    AUTO(fd) int source = is_users ? mount_open_exact(AT_FDCWD, bind->source, 0)
                                   : open(bind->source, O_PATH | O_CLOEXEC);

    if (source < 0 && errno == ENOENT && (bind->flags & BIND_IF_THERE))
        return 0;
    AUTO(fd) int mount = source < 0 ? -1 : mount_copy(source);
    if (mount < 0)
        return failed(failure, "open %s", bind->source);
    if (is_users && tree->plan->idmap >= 0 &&
        mount_map_owners(mount, tree->plan->idmap) < 0) {
        snprintf(failure->remedy, sizeof(failure->remedy),
                 "the file system of %s cannot show its files as another user's: run "
                 "as an ordinary user, or keep notebooks on ext4, xfs or btrfs, or "
                 "with Linux 6.3 and newer on tmpfs",
                 bind->source);
        return failed(failure, "map the owner of %s", bind->source);
    }
    if (mount_restrict(mount, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
                                  (bind->flags & BIND_WRITABLE ? 0 : READ_ONLY)) < 0 ||
        attach(tree, mount, bind->target) < 0)
        return failed(failure, "mount %s", bind->target);
    return is_users
               ? protect(mount, bind->flags & BIND_WRITABLE, tree->scratch, failure)
               : 0;
}

int
tree_add_binds(struct tree *tree, struct isolate_failure *failure)
{
    for (uint32_t i = 0; i < tree->plan->bind_count; i++)
        if (add_bind(tree, &tree->plan->binds[i], failure) < 0)
            return -1;
    return 0;
}

int
tree_close(struct tree *tree, struct isolate_failure *failure UNUSED)
{
    return mount_restrict_one(tree->root, MOUNT_ATTR_RDONLY);
}

/* What 0, 1 and 2 were is outside now. */
static int
open_own_null(void)
{
    AUTO(fd) int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (nothing < 0 || dup2(nothing, fd) < 0)
            return -1;
    return 0;
}

int
tree_enter(struct tree *tree, struct isolate_failure *failure UNUSED)
{
    if (mount_pivot(tree->root) < 0)
        return -1;
    close(tree->root);
    close(tree->scratch);
    tree->root = tree->scratch = -1;
    return open_own_null();
}
