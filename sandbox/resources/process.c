#include "sandbox/resources/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "sandbox/isolate/handle.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* Linux 6.5 */
#endif
#define SIGNAL_PROCESS_GROUP (1U << 2) /* PIDFD_SIGNAL_PROCESS_GROUP, Linux 6.9 */

enum {
    LOOK_MS = 50, /* how often a process without a pidfd is looked for */
};

int
process_open(pid_t pid, struct error *err)
{
    int fd = handle_open(pid);

    return fd < 0 ? error_sys(err, "open process %d", (int)pid) : fd;
}

int
process_open_peer(int socket, struct error *err)
{
    struct ucred peer;
    socklen_t len = sizeof(peer), fd_len = sizeof(int);
    int fd;

    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &fd_len) == 0)
        return fd;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
        return error_sys(err, "ask who is at the other end");
    return process_open(peer.pid, err);
}

uid_t
process_peer_user(int socket)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);

    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 ? peer.uid
                                                                         : (uid_t)-1;
}

/* The number that follows name in a file of /proc, or -1. */
static long
read_number(const char *path, const char *name)
{
    char text[4096];
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    if (len < 0)
        return -1;
    text[len] = '\0';
    const char *field = strstr(text, name);
    return field ? strtol(field + strlen(name), NULL, 10) : -1;
}

/* Of a folder of /proc, or -1: what the descriptor is, not what anybody says. */
static pid_t
pid_of_folder(int fd)
{
    char path[64], name[64];
    struct statfs system;
    int pid, end = 0;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ssize_t len = readlink(path, name, sizeof(name) - 1);
    if (len <= 0 || fstatfs(fd, &system) < 0 || system.f_type != PROC_SUPER_MAGIC)
        return -1;
    name[len] = '\0';
    return sscanf(name, "/proc/%d%n", &pid, &end) == 1 && end == len ? pid : -1;
}

/* Neither gone nor a zombie. */
static bool
is_running(pid_t pid)
{
    char path[64], text[512];

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (len <= 0)
        return false;
    text[len] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && name_end[2] != 'Z' && name_end[2] != 'X';
}

pid_t
process_pid(int pidfd)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
    long pid = read_number(path, "\nPid:");
    if (pid > 0)
        return (pid_t)pid;
    pid = pid_of_folder(pidfd);
    return pid > 0 && is_running((pid_t)pid) ? (pid_t)pid : -1;
}

/* Asked before and after: the pid was not reused in between. */
pid_t
process_parent(int pidfd)
{
    char path[64];
    pid_t pid = process_pid(pidfd);

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    long parent = pid > 0 ? read_number(path, "\nPPid:") : -1;
    return process_pid(pidfd) == pid ? (pid_t)parent : -1;
}

bool
process_is_child(int pidfd, pid_t parent)
{
    return parent > 0 && process_parent(pidfd) == parent;
}

bool
process_is_alive(int pidfd)
{
    struct pollfd poller = {.fd = pidfd, .events = POLLIN};
    pid_t folder = pid_of_folder(pidfd);

    return folder > 0 ? is_running(folder) : poll(&poller, 1, 0) == 0;
}

void
process_signal(int pidfd, int signal)
{
    if (pidfd < 0)
        return;
    if (syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) == 0)
        return;
    pid_t pid = errno == ENOSYS ? process_pid(pidfd) : -1;
    if (pid > 1)
        kill(pid, signal);
}

void
process_kill(int pidfd)
{
    process_signal(pidfd, SIGKILL);
}

/* Before Linux 6.9: the pid cannot be reused while the pidfd shows the leader alive,
 * since nobody but its parent, init, reaps it, and init tells us when it does. */
static int
signal_group_by_pid(int pidfd, int signal, struct error *err)
{
    pid_t pid = process_pid(pidfd);

    if (pid <= 1 || !process_is_alive(pidfd))
        return error_set(err, ERR_UNAVAILABLE, "the process is gone");
    if (kill(-pid, signal) < 0)
        return error_sys(err, "signal process group %d", (int)pid);
    return 0;
}

int
process_signal_group(int pidfd, int signal, struct error *err)
{
    if (syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, SIGNAL_PROCESS_GROUP) == 0)
        return 0;
    if (errno == EINVAL || errno == ENOSYS)
        return signal_group_by_pid(pidfd, signal, err);
    return error_sys(err, "signal a process group");
}

/* --- waiting for an end --- */

static void
on_readable(void *context, uint32_t events UNUSED)
{
    struct process_watch *watch = context;

    process_watch_stop(watch);
    watch->on_end(watch->context);
}

static void
on_look(void *context)
{
    struct process_watch *watch = context;

    if (process_is_alive(watch->fd))
        loop_timer_set(watch->loop, &watch->timer, LOOK_MS);
    else
        watch->on_end(watch->context);
}

int
process_watch_start(struct loop *loop, struct process_watch *watch, int pidfd,
                    struct error *err)
{
    watch->loop = loop;
    watch->fd = pidfd;
    watch->watch =
        (struct loop_watch){.fd = pidfd, .on_ready = on_readable, .context = watch};
    watch->timer = (struct loop_timer){.on_due = on_look, .context = watch};
    if (pid_of_folder(pidfd) < 0)
        return loop_watch_start(loop, &watch->watch, EPOLLIN, err);
    loop_timer_set(loop, &watch->timer, LOOK_MS);
    return 0;
}

void
process_watch_stop(struct process_watch *watch)
{
    if (!watch->loop)
        return;
    loop_watch_stop(watch->loop, &watch->watch);
    loop_timer_cancel(watch->loop, &watch->timer);
}
