#include "sandbox/running/checkpoint.h"

#include <errno.h>
#include <sys/socket.h>

#include "sandbox/resources/process.h"

#define LOG_COMPONENT "checkpoint"
#include "common/log.h"

/* The sender of these few bytes, as the kernel says; -1: unknown, or closed; 0: nothing
 * has come yet. */
static pid_t
read_sender(int socket, int32_t *cell)
{
    unsigned char said[1 + sizeof(*cell)];
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr header;
    } control = {.bytes = {0}};
    struct iovec data = {said, sizeof(said)};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    struct ucred sender;
    ssize_t len = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

    if (len < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (len != sizeof(said) || !header || header->cmsg_level != SOL_SOCKET ||
        header->cmsg_type != SCM_CREDENTIALS ||
        header->cmsg_len != CMSG_LEN(sizeof(sender)))
        return -1;
    memcpy(&sender, CMSG_DATA(header), sizeof(sender));
    memcpy(cell, said + 1, sizeof(*cell)); /* both ends are on this machine */
    return sender.pid > 1 ? sender.pid : -1;
}

/* Asked of the process that the pidfd holds: a pid may have been reused. */
static int
open_checkpoint(const struct checkpoint *c, pid_t pid)
{
    struct error err;
    AUTO(fd) int pidfd = process_open(pid, &err);

    if (pidfd < 0 || !process_is_child(pidfd, c->parent))
        return -1;
    return take_fd(&pidfd);
}

/* Whose byte it is does not matter: init says who has become the worker. False: it has
 * not come yet. Else the socket is left alone from now on. */
static bool
hear_byte(struct checkpoint *c, bool *is_said)
{
    char byte;
    ssize_t len = recv(c->socket, &byte, 1, MSG_DONTWAIT);

    if (len < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    loop_watch_stop(c->loop, &c->watch);
    c->state = CHECKPOINT_SETTLED;
    *is_said = len == 1;
    if (len != 1)
        checkpoint_drop(c);
    return true;
}

static void
hear_name(struct checkpoint *c)
{
    bool has_named;

    if (hear_byte(c, &has_named))
        c->on_named(c->context, has_named);
}

static void
hear_settled(struct checkpoint *c)
{
    bool is_settled;

    if (hear_byte(c, &is_settled) && is_settled)
        c->on_settled(c->context);
}

static void
hear_frozen(struct checkpoint *c)
{
    pid_t pid = read_sender(c->socket, &c->cell);

    if (pid == 0)
        return;
    c->pidfd = pid > 0 ? open_checkpoint(c, pid) : -1;
    if (c->pidfd < 0 || send(c->socket, "\n", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1) {
        log_debug("none was made");
        checkpoint_drop(c);
        return;
    }
    log_debug("frozen pid=%d", (int)pid);
    c->state = CHECKPOINT_FROZEN;
    c->on_frozen(c->context);
}

void
checkpoint_hear(struct checkpoint *c)
{
    if (c->state == CHECKPOINT_LENT)
        hear_frozen(c);
    if (c->state == CHECKPOINT_FROZEN)
        hear_settled(c);
}

static void
on_readable(void *context, uint32_t events UNUSED)
{
    struct checkpoint *c = context;

    if (c->state == CHECKPOINT_CALLED)
        hear_name(c);
    else
        checkpoint_hear(c);
}

int
checkpoint_lend(struct checkpoint *c, pid_t parent, struct error *err)
{
    int ends[2];

    checkpoint_drop(c);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return error_sys(err, "make a checkpoint's socket");
    AUTO(fd) int ours = ends[0], theirs = ends[1];
    if (setsockopt(ours, SOL_SOCKET, SO_PASSCRED, &(int){1}, sizeof(int)) < 0)
        return error_sys(err, "make a checkpoint's socket");
    c->watch = (struct loop_watch){.fd = ours, .on_ready = on_readable, .context = c};
    if (loop_watch_start(c->loop, &c->watch, EPOLLIN, err) < 0)
        return -1;
    c->socket = take_fd(&ours);
    c->parent = parent;
    c->state = CHECKPOINT_LENT;
    return take_fd(&theirs);
}

int
checkpoint_call(struct checkpoint *c, struct error *err)
{
    static const char call[] = "{\"type\":\"name\",\"bytes\":2}\n{}\n";

    if (send(c->socket, call, sizeof(call) - 1, MSG_NOSIGNAL | MSG_DONTWAIT) !=
        sizeof(call) - 1)
        return error_sys(err, "call a checkpoint");
    if (loop_watch_start(c->loop, &c->watch, EPOLLIN, err) < 0)
        return -1;
    c->state = CHECKPOINT_CALLED;
    return 0;
}

bool
checkpoint_is_frozen(const struct checkpoint *c)
{
    return c->state >= CHECKPOINT_FROZEN;
}

bool
checkpoint_is_settled(const struct checkpoint *c)
{
    return c->state >= CHECKPOINT_SETTLED;
}

bool
checkpoint_is_alive(const struct checkpoint *c)
{
    return c->pidfd >= 0 && process_is_alive(c->pidfd);
}

pid_t
checkpoint_pid(const struct checkpoint *c)
{
    return c->pidfd >= 0 ? process_pid(c->pidfd) : -1;
}

bool
checkpoint_is_process(const struct checkpoint *c, int pidfd)
{
    pid_t pid = checkpoint_pid(c);

    return pid > 0 && process_pid(pidfd) == pid;
}

void
checkpoint_wake(struct checkpoint *c, int *socket, int *pidfd)
{
    loop_watch_stop(c->loop, &c->watch);
    *socket = take_fd(&c->socket);
    *pidfd = take_fd(&c->pidfd);
    c->state = CHECKPOINT_NONE;
}

void
checkpoint_drop(struct checkpoint *c)
{
    if (c->state == CHECKPOINT_NONE)
        return;
    loop_watch_stop(c->loop, &c->watch);
    process_kill(c->pidfd);
    auto_fd(&c->pidfd);
    auto_fd(&c->socket);
    c->pidfd = c->socket = -1;
    c->state = CHECKPOINT_NONE;
}
