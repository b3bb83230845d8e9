#include "sandbox/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* Linux 6.5 */
#endif
#define SIGNAL_PROCESS_GROUP (1U << 2) /* PIDFD_SIGNAL_PROCESS_GROUP, Linux 6.9 */

int
process_open(pid_t pid, struct error *err)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);

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

pid_t
process_pid(int pidfd)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
    long pid = read_number(path, "\nPid:");
    return pid > 0 ? (pid_t)pid : -1;
}

/* Asked before and after: the pid was not reused in between. */
bool
process_is_child(int pidfd, pid_t parent)
{
    char path[64];
    pid_t pid = process_pid(pidfd);

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    return pid > 0 && read_number(path, "\nPPid:") == parent &&
           process_pid(pidfd) == pid;
}

bool
process_is_alive(int pidfd)
{
    struct pollfd poller = {.fd = pidfd, .events = POLLIN};

    return poll(&poller, 1, 0) == 0;
}

void
process_kill(int pidfd)
{
    if (pidfd >= 0)
        syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
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
    if (errno == EINVAL)
        return signal_group_by_pid(pidfd, signal, err);
    return error_sys(err, "signal a process group");
}
