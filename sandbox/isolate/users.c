#include "sandbox/isolate/users.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define LOCKED_SECUREBITS                                            \
    (SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | \
     SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |       \
     SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

struct capabilities {
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
};

static int
get_capabilities(struct capabilities *out)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};

    return (int)syscall(SYS_capget, &header, out->data);
}

static int
set_capabilities(const struct capabilities *capabilities)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};

    return (int)syscall(SYS_capset, &header, capabilities->data);
}

bool
users_has_capability(int capability)
{
    struct capabilities all;

    return get_capabilities(&all) == 0 &&
           (all.data[capability / 32].effective & (1u << capability % 32));
}

/* Becoming another user empties the effective set; the permitted one was kept. */
static int
raise_permitted(void)
{
    struct capabilities all;

    if (get_capabilities(&all) < 0)
        return -1;
    for (size_t i = 0; i < COUNT_OF(all.data); i++)
        all.data[i].effective = all.data[i].permitted;
    return set_capabilities(&all);
}

int
users_become(int64_t id, struct isolate_failure *failure)
{
    if (id < 0)
        return 0;
    if (setgroups(0, NULL) < 0)
        return failed(failure, "leave all groups");
    if (setresgid((gid_t)id, (gid_t)id, (gid_t)id) < 0 ||
        prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 ||
        setresuid((uid_t)id, (uid_t)id, (uid_t)id) < 0 || raise_permitted() < 0)
        return failed(failure, "become user %lld", (long long)id);
    return 0;
}

static int
write_file(int folder, const char *path, const char *text)
{
    AUTO(fd) int file = openat(folder, path, O_WRONLY | O_CLOEXEC);

    if (file < 0)
        return -1;
    return write(file, text, strlen(text)) < 0 ? -1 : 0;
}

static int
write_maps(int proc, const char *users, const char *groups,
           struct isolate_failure *failure)
{
    if (write_file(proc, "self/setgroups", "deny") < 0)
        return failed(failure, "write /proc/self/setgroups");
    if (write_file(proc, "self/uid_map", users) < 0)
        return failed(failure, "write /proc/self/uid_map");
    if (write_file(proc, "self/gid_map", groups) < 0)
        return failed(failure, "write /proc/self/gid_map");
    return 0;
}

int
users_enter_namespace(int proc, uid_t inside, gid_t inside_group,
                      struct isolate_failure *failure)
{
    char users[64], groups[64];

    snprintf(users, sizeof(users), "%u %u 1", inside, geteuid());
    snprintf(groups, sizeof(groups), "%u %u 1", inside_group, getegid());
    if (unshare(CLONE_NEWUSER) < 0)
        return failed(failure, "make a user namespace");
    /* Only its owner may write a process's maps, and only a dumpable process is owned
     * by its user: changing users has ended that. */
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 ||
        write_maps(proc, users, groups, failure) < 0)
        return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static int
empty_bounding_set(void)
{
    int capability = 0;

    while (prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0)
        if (prctl(PR_CAPBSET_DROP, capability++, 0, 0, 0) < 0)
            return -1;
    return errno == EINVAL ? 0 : -1; /* the first one that this kernel does not know */
}

static bool
has_none(void)
{
    static const struct capabilities none;
    struct capabilities all;

    return get_capabilities(&all) == 0 && memcmp(&all, &none, sizeof(all)) == 0;
}

/* Who has no capability cannot empty the bounding set, and without new privileges need
 * not. */
static int
drop_in_pod(struct isolate_failure *failure)
{
    if (!has_none()) {
        errno = EPERM;
        return failed(failure, "have no capabilities to begin with");
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return failed(failure, "forbid new privileges");
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int
users_drop_privileges(struct isolate_failure *failure)
{
    static const struct capabilities none;

    if (isolate_mode() == ISOLATE_POD && !users_has_capability(CAP_SETPCAP))
        return drop_in_pod(failure);
    if (empty_bounding_set() < 0)
        return failed(failure, "empty the capability bounding set");
    if (prctl(PR_SET_SECUREBITS, LOCKED_SECUREBITS, 0, 0, 0) < 0)
        return failed(failure, "lock the secure bits");
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
        set_capabilities(&none) < 0)
        return failed(failure, "drop all capabilities");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return failed(failure, "forbid new privileges");
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
