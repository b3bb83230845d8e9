#include "kernel/process/reach.h"

#include "common/reach_name.h"

#define LOG_COMPONENT "reach"
#include "common/log.h"

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
describe(const struct reach *reach)
{
    const char *session = getenv("JPY_SESSION_NAME");
    const char *slash = session ? strrchr(session, '/') : NULL;
    const struct sandbox_link *link = sandbox_link_of(reach->sandbox);
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
    const struct reach *reach = context;
    AUTO(fd) int peer = accept4(item->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (peer < 0 || !reach_is_ours(peer))
        return 0;
    json_auto_t *told = describe(reach);
    AUTO(mem) char *text = told ? json_dumps(told, JSON_COMPACT) : NULL;
    if (text && send(peer, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        log_info("a program that asked has left");
    return 0;
}

static int
listen_for_it(struct error *err)
{
    struct sockaddr_un address;
    const socklen_t len = reach_address(&address, geteuid(), getpid());
    AUTO(fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) < 0 || listen(fd, 16) < 0)
        return error_sys(err, "listen for cellpod cp");
    return take_fd(&fd);
}

void
reach_open(struct reach *reach, zloop_t *loop, const struct sandbox *sandbox)
{
    struct error err;

    if (reach->listener >= 0)
        return;
    reach->listener = listen_for_it(&err);
    if (reach->listener < 0) {
        log_error("%s", err.text);
        return;
    }
    zmq_pollitem_t item = {.fd = reach->listener, .events = ZMQ_POLLIN};
    reach->sandbox = sandbox;
    zloop_poller(loop, &item, on_peer, reach);
}

void
reach_release(struct reach *reach)
{
    auto_fd(&reach->listener);
    *reach = (struct reach)REACH_INIT;
}
