#include "sandbox/isolate/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "sandbox/isolate/failure.h"
#include "sandbox/isolate/handle.h"
#include "sandbox/isolate/users.h"

enum {
    KEPT_FD = 3,
    KEPT_IDMAP_FD = 4,
    FIRST_CLOSED_FD = 5,
};

/*
 * Why an ordinary user may not make user namespaces, and what helps: the first row
 * whose file holds its value.
 */
static const struct {
    const char *path, *value, *remedy;
} obstacles[] = {
    {"/proc/sys/user/max_user_namespaces",                     "0",
     "sudo sysctl -w user.max_user_namespaces=10000 (and in /etc/sysctl.d to keep it)"},
    {"/proc/sys/kernel/unprivileged_userns_clone",             "0",
     "sudo sysctl -w kernel.unprivileged_userns_clone=1 (and in /etc/sysctl.d to keep "
     "it)"                                                                            },
    {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
     "AppArmor reserves user namespaces for listed programs: sudo sysctl -w "
     "kernel.apparmor_restrict_unprivileged_userns=0, or give this Python a profile "
     "with \"userns,\" in /etc/apparmor.d"                                            },
};

static bool
file_says(const char *path, const char *value)
{
    char text[32] = "";
    AUTO(fd) int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0 || read(file, text, sizeof(text) - 1) <= 0)
        return false;
    text[strcspn(text, "\n")] = '\0';
    return strcmp(text, value) == 0;
}

static void
find_obstacle(struct isolate_failure *failure)
{
    for (size_t i = 0; i < COUNT_OF(obstacles) && !failure->remedy[0]; i++)
        if (file_says(obstacles[i].path, obstacles[i].value))
            snprintf(failure->remedy, sizeof(failure->remedy), "%s",
                     obstacles[i].remedy);
    if (!failure->remedy[0])
        snprintf(failure->remedy, sizeof(failure->remedy), "%s",
                 "the environment of this process forbids it; in a container, start it "
                 "with --security-opt seccomp=unconfined --security-opt "
                 "apparmor=unconfined --security-opt systempaths=unconfined");
}

/* /proc/PID/environ shows what lies on the stack since exec. Keep our own copy. */
static int
forget_environment(void)
{
    size_t count = 0;

    while (environ[count])
        count++;
    char **copy = calloc(count + 1, sizeof(*copy));
    if (!copy)
        return -1;
    for (size_t i = 0; i < count; i++) {
        copy[i] = strdup(environ[i]);
        if (!copy[i])
            return -1;
        explicit_bzero(environ[i], strlen(environ[i]));
    }
    environ = copy;
    return 0;
}

/* Where AppArmor restricts them, a namespace can be made but gives no capabilities. */
static int
own_namespaces(struct isolate_failure *failure)
{
    AUTO(fd) int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (users_enter_namespace(proc, geteuid(), getegid(), failure) < 0)
        return -1;
    if (unshare(CLONE_NEWUTS) < 0)
        return failed(failure, "use a user namespace");
    return 0;
}

static enum isolate_mode mode;

enum isolate_mode
isolate_mode(void)
{
    return mode;
}

int
isolate_prepare(enum isolate_mode wanted, struct isolate_failure *failure)
{
    mode = wanted;
    *failure = (struct isolate_failure){0};
    signal(SIGCHLD, SIG_IGN); /* children are reaped by the kernel */
    if (forget_environment() < 0) {
        failure_explain(failure, ISOLATE_PRIVILEGES, "forget the environment");
        return -1;
    }
    if (mode == ISOLATE_OWN && !users_has_capability(CAP_SYS_ADMIN) &&
        own_namespaces(failure) < 0) {
        find_obstacle(failure);
        failure_explain(failure, ISOLATE_USERS, "make a user namespace");
        return -1;
    }
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* Where glibc keeps a thread's id: fork() renews it, the bare system call does not. */
static int *
thread_id_place(void)
{
    int *place = NULL;

    if (prctl(PR_GET_TID_ADDRESS, &place, 0, 0, 0) < 0)
        return NULL; /* a kernel without it; init then never asks for its thread id */
    return place;
}

static pid_t
spawn_in_pod(int *pidfd, struct isolate_failure *failure)
{
    pid_t pid = fork();

    if (pid <= 0) {
        if (pid < 0)
            failure_explain(failure, ISOLATE_PROCESSES, "fork");
        return pid;
    }
    *pidfd = handle_open(pid);
    if (*pidfd >= 0)
        return pid;
    kill(pid, SIGKILL);
    failure_explain(failure, ISOLATE_PROCESSES, "open the new process");
    return -1;
}

pid_t
isolate_spawn(uint32_t waived, int *pidfd, struct isolate_failure *failure)
{
    int *tid = thread_id_place();
    int child_pidfd = -1;
    struct clone_args args = {
        .flags = CLONE_PIDFD | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC |
                 CLONE_NEWUTS | CLONE_NEWCGROUP,
        .pidfd = (uint64_t)(uintptr_t)&child_pidfd,
        .exit_signal = SIGCHLD,
        .child_tid = (uint64_t)(uintptr_t)tid,
    };

    *failure = (struct isolate_failure){0};
    if (mode == ISOLATE_POD)
        return spawn_in_pod(pidfd, failure);
    if (!(waived & 1u << ISOLATE_NETWORK))
        args.flags |= CLONE_NEWNET;
    if (tid)
        args.flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
    pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
    if (pid < 0)
        failure_explain(failure, ISOLATE_PROCESSES, "fork into new namespaces");
    if (pid > 0)
        *pidfd = child_pidfd;
    return pid;
}

static int
move_fd(int from, int to)
{
    if (from == to)
        return fcntl(to, F_SETFD, FD_CLOEXEC);
    return dup3(from, to, O_CLOEXEC) < 0 ? -1 : 0;
}

static int
keep_only(int keep, int idmap)
{
    AUTO(fd) int kept = fcntl(keep, F_DUPFD_CLOEXEC, FIRST_CLOSED_FD);
    AUTO(fd) int map = idmap < 0 ? -1 : fcntl(idmap, F_DUPFD_CLOEXEC, FIRST_CLOSED_FD);
    AUTO(fd) int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (kept < 0 || nothing < 0 || (idmap >= 0 && map < 0))
        return -1;
    for (int fd = 0; fd < KEPT_FD; fd++)
        if (dup2(nothing, fd) < 0)
            return -1;
    if (move_fd(kept, KEPT_FD) < 0 || (map >= 0 && move_fd(map, KEPT_IDMAP_FD) < 0))
        return -1;
    kept = nothing = map = -1; /* closed below */
    return (int)syscall(SYS_close_range, idmap < 0 ? KEPT_IDMAP_FD : FIRST_CLOSED_FD,
                        INT32_MAX, 0); /* gVisor takes signed numbers */
}

int
isolate_keep_only(int keep, int idmap, struct isolate_failure *failure)
{
    *failure = (struct isolate_failure){0};
    if (keep_only(keep, idmap) == 0)
        return 0;
    failure_explain(failure, ISOLATE_FILES, "close inherited descriptors");
    return -1;
}
