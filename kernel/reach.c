#include "kernel/reach.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "common/paths.h"
#include "common/reach_name.h"
#include "kernel/kernel.h"

#define LOG_COMPONENT "reach"
#include "common/log.h"

static bool
is_ours(int peer)
{
    struct ucred who;
    socklen_t len = sizeof(who);

    return getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 &&
           who.uid == geteuid();
}

static json_t *
headers_of(const struct sandbox_link *link)
{
    json_t *headers = json_array();

    for (char **header = link->headers; header && *header; header++)
        json_array_append_new(headers, json_string(*header));
    if (link->token_header)
        json_array_append_new(headers, json_string(link->token_header));
    return headers;
}

static json_t *
describe(const struct kernel *kernel)
{
    const char *session = getenv("JPY_SESSION_NAME");
    const char *slash = session ? strrchr(session, '/') : NULL;
    const struct sandbox_link *link = sandbox_link_of(kernel->sandbox);
    AUTO(mem) char *folder = realpath(".", NULL);
    json_t *all = json_pack("{s:s*, s:s*}", "folder", folder, "notebook",
                            slash ? slash + 1 : session);

    if (link && all) {
        AUTO(mem) char *url = xasprintf("%s/v1/sandboxes/%s", link->url, link->id);
        json_object_set_new(all, "url", json_string(url));
        json_object_set_new(all, "headers", headers_of(link));
    }
    return all;
}

/* What does not fit into the socket's buffer at once is not waited for. */
static int
on_peer(zloop_t *loop UNUSED, zmq_pollitem_t *item, void *context)
{
    const struct kernel *kernel = context;
    AUTO(fd) int peer = accept4(item->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (peer < 0 || !is_ours(peer))
        return 0;
    json_auto_t *told = describe(kernel);
    AUTO(mem) char *text = told ? json_dumps(told, JSON_COMPACT) : NULL;
    if (text && send(peer, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        log_info("a program that asked has left");
    return 0;
}

static int
listen_at(const char *path, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    AUTO(fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (strlen(path) >= sizeof(address.sun_path))
        return error_set(err, ERR_TOO_LARGE, "the path of the runtime folder is long");
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    unlink(path); /* of a killed kernel that had our pid */
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(fd, 16) < 0)
        return error_sys(err, "listen at %.200s", path);
    return take_fd(&fd);
}

void
reach_open(struct kernel *kernel)
{
    struct reach *reach = &kernel->reach;
    struct error err;
    AUTO(mem) char *runtime = NULL;

    if (reach->listener >= 0)
        return;
    runtime = paths_runtime_dir(&err);
    if (runtime) {
        reach->path =
            xasprintf("%s/" REACH_PREFIX "%d" REACH_SUFFIX, runtime, getpid());
        reach->listener = listen_at(reach->path, &err);
    }
    if (reach->listener < 0) {
        log_error("%s", err.text);
        reach_release(reach);
        return;
    }
    zmq_pollitem_t item = {.fd = reach->listener, .events = ZMQ_POLLIN};
    zloop_poller(kernel->loop, &item, on_peer, kernel);
}

void
reach_release(struct reach *reach)
{
    if (reach->listener >= 0)
        unlink(reach->path);
    auto_fd(&reach->listener);
    free(reach->path);
    *reach = (struct reach)REACH_INIT;
}
