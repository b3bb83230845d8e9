#include "sandbox/isolate/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

/* <sys/mount.h> clashes with <linux/mount.h> in some versions of glibc. */
#define UMOUNT_DETACH 2

static int
call_open_tree(int place, unsigned flags)
{
    return (int)syscall(SYS_open_tree, place, "", flags | AT_EMPTY_PATH);
}

static int
set_attributes(int place, const char *path, unsigned flags,
               const struct mount_attr *attributes)
{
    return (int)syscall(SYS_mount_setattr, place, path, flags, attributes,
                        sizeof(*attributes));
}

int
mount_new(const char *type, const struct mount_option *options, uint64_t attributes)
{
    AUTO(fd) int context = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);

    if (context < 0)
        return -1;
    for (; options->name; options++)
        if (syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, options->name,
                    options->value, 0) < 0)
            return -1;
    if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
        return -1;
    return (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, attributes);
}

int
mount_copy(int place)
{
    return call_open_tree(place, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
}

int
mount_restrict(int mount, uint64_t attributes)
{
    struct mount_attr attr = {.attr_set = attributes};

    return set_attributes(mount, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr);
}

int
mount_restrict_one(int mount, uint64_t attributes)
{
    struct mount_attr attr = {.attr_set = attributes};

    return set_attributes(mount, "", AT_EMPTY_PATH, &attr);
}

int
mount_map_owners(int mount, int user_namespace)
{
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_IDMAP,
                              .userns_fd = (uint64_t)user_namespace};

    return set_attributes(mount, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr);
}

int
mount_attach(int mount, int place)
{
    return (int)syscall(SYS_move_mount, mount, "", place, "",
                        MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

int
mount_make_private(const char *path)
{
    struct mount_attr attr = {.propagation = MS_PRIVATE};

    return set_attributes(AT_FDCWD, path, AT_RECURSIVE, &attr);
}

/* pivot_root(2): with both arguments "." the old root ends up on top of the new one,
 * and is what "." detaches. */
int
mount_pivot(int new_root)
{
    if (fchdir(new_root) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
        syscall(SYS_umount2, ".", UMOUNT_DETACH) < 0)
        return -1;
    return chdir("/");
}

int
mount_open_exact(int base, const char *path, uint64_t resolve)
{
    struct open_how how = {
        .flags = O_PATH | O_CLOEXEC,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | resolve,
    };

    return (int)syscall(SYS_openat2, base, path, &how, sizeof(how));
}
