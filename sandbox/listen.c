#include "sandbox/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

enum {
    BACKLOG = 1024
};

static int
take_lock(const char *path, int *out, struct error *err)
{
    AUTO(mem) char *name = xasprintf("%s.lock", path);
    AUTO(fd) int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        return error_sys(err, "open %s", name);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? 1 : error_sys(err, "lock %s", name);
    *out = take_fd(&fd);
    return 0;
}

static int
bind_to(const char *path, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    AUTO(fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (strlen(path) >= sizeof(address.sun_path))
        return error_set(err, ERR_BAD_INPUT,
                         "%s is too long for a socket (at most %zu bytes): set "
                         "XDG_RUNTIME_DIR to a shorter one",
                         path, sizeof(address.sun_path) - 1);
    memcpy(address.sun_path, path, strlen(path));
    if (fd < 0)
        return error_sys(err, "make a socket");
    /* From its first moment nobody else may connect. */
    mode_t before = umask(0177);
    int bound = bind(fd, (struct sockaddr *)&address, sizeof(address));
    umask(before);
    if (bound < 0 || listen(fd, BACKLOG) < 0)
        return error_sys(err, "listen on %s", path);
    return take_fd(&fd);
}

static int
open_unix(const char *path, struct listen_socket *out, struct error *err)
{
    AUTO(listen_socket) struct listen_socket listener = LISTENER_INIT;
    int taken = take_lock(path, &listener.lock, err);

    if (taken)
        return taken;
    if (unlink(path) < 0 && errno != ENOENT)
        return error_sys(err, "remove the old socket %s", path);
    listener.fd = bind_to(path, err);
    if (listener.fd < 0)
        return -1;
    listener.path = xstrdup(path);
    *out = listener;
    listener = (struct listen_socket)LISTENER_INIT;
    return 0;
}

/* SO_REUSEADDR: connections of an earlier daemon may linger. [::] takes IPv4 too. */
static int
open_tcp(const struct address *address, struct listen_socket *out, struct error *err)
{
    const int on = 1;
    AUTO(fd) int fd =
        socket(address->tcp.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
        return error_sys(err, "make a socket");
    if (bind(fd, (const struct sockaddr *)&address->tcp, address->tcp_len) < 0 ||
        listen(fd, BACKLOG) < 0)
        return error_sys(err, "listen on this TCP address");
    *out = (struct listen_socket){take_fd(&fd), -1, NULL};
    return 0;
}

int
listen_open(const struct address *address, struct listen_socket *out, struct error *err)
{
    return address->unix_path ? open_unix(address->unix_path, out, err)
                              : open_tcp(address, out, err);
}

void
listen_close(struct listen_socket *listener)
{
    if (listener->path)
        unlink(listener->path);
    auto_fd(&listener->fd);
    auto_fd(&listener->lock);
    free(listener->path);
    *listener = (struct listen_socket)LISTENER_INIT;
}
