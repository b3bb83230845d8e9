#include "sandbox/http/httpd.h"

#include <errno.h>
#include <sys/socket.h>

#include "sandbox/http/http_exchange.h"
#include "sandbox/http/http_peers.h"

enum {
    MAX_CONNECTIONS = 8192,
    MAX_REMOTE_CONNECTIONS = 256, /* strangers, too, cost HTTP_CONNECTION_MEMORY each */
    REMOTE_PATIENCE_SECONDS = 300, /* with a peer that neither reads nor writes */
    MAX_RUNS =
        4, /* in one pass of the loop, so that other descriptors get their turn */
    ACCEPTS_AT_ONCE = 16,
    RETRY_ACCEPT_MS = 100,
};

struct httpd {
    struct http_service service;
    struct http_peers peers; /* where the service is remote */
    struct MHD_Daemon *daemon;
    struct loop_watch watch, accepting;
    struct loop_timer retry; /* accepting, after a pause */
};

/* All that happened in this pass is sent in one run: many small events, one write.
 * After a resume libmicrohttpd wants to be run twice. */
static int
prepare(void *context)
{
    struct httpd *httpd = context;
    MHD_UNSIGNED_LONG_LONG timeout = 0;

    for (int run = 0; httpd->service.must_run && run < MAX_RUNS; run++) {
        httpd->service.must_run = false;
        MHD_run(httpd->daemon);
        if (MHD_get_timeout(httpd->daemon, &timeout) == MHD_YES && timeout == 0)
            httpd->service.must_run = true;
    }
    return httpd->service.must_run ? 0 : -1;
}

static void
on_sockets(void *context, uint32_t events UNUSED)
{
    struct httpd *httpd = context;

    httpd->service.must_run = true;
}

/* --- accepting --- */

/* Ours: libmicrohttpd, once it got no descriptor for a connection, accepts no other
 * until one of those it has is closed, and they may be quiet for hours. Connections
 * wait in the listener's queue meanwhile. */
static void
accept_later(struct httpd *httpd)
{
    loop_watch_stop(httpd->service.loop, &httpd->accepting);
    loop_timer_set(httpd->service.loop, &httpd->retry, RETRY_ACCEPT_MS);
}

static unsigned
max_connections(const struct httpd *httpd)
{
    return httpd->service.is_remote ? MAX_REMOTE_CONNECTIONS : MAX_CONNECTIONS;
}

static bool
has_room(const struct httpd *httpd)
{
    return MHD_get_daemon_info(httpd->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)
               ->num_connections < max_connections(httpd);
}

static void
on_connections(void *context, uint32_t events UNUSED)
{
    struct httpd *httpd = context;

    for (int i = 0; i < ACCEPTS_AT_ONCE && has_room(httpd); i++) {
        struct sockaddr_storage peer = {.ss_family = AF_UNSPEC};
        socklen_t len = sizeof(peer);
        int fd = accept4(httpd->accepting.fd, (struct sockaddr *)&peer, &len,
                         SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
            return;
        if (fd < 0) {
            accept_later(httpd);
            return;
        }
        httpd->service.must_run = true;
        MHD_add_connection(httpd->daemon, fd, (struct sockaddr *)&peer, len);
    }
    for (int i = 0; i < ACCEPTS_AT_ONCE && !has_room(httpd); i++)
        httpd->service.must_run |= http_peers_make_room(&httpd->peers);
    if (!has_room(httpd))
        accept_later(httpd);
}

static void
accept_again(void *context)
{
    struct httpd *httpd = context;
    struct error err;

    if (!has_room(httpd) ||
        loop_watch_start(httpd->service.loop, &httpd->accepting, EPOLLIN, &err) < 0)
        accept_later(httpd);
}

/* --- libmicrohttpd --- */

/* libmicrohttpd would decode %00 to the end of the text: we decode, where it is due. */
static size_t
leave_as_it_is(void *context UNUSED, struct MHD_Connection *connection UNUSED,
               char *text)
{
    return strlen(text);
}

static struct MHD_Daemon *
start_daemon(struct httpd *httpd)
{
    unsigned patience = httpd->service.is_remote ? REMOTE_PATIENCE_SECONDS : 0;

    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0, NULL,
        NULL, http_exchange_proceed, &httpd->service, MHD_OPTION_NOTIFY_COMPLETED,
        http_exchange_end, &httpd->service, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)HTTP_CONNECTION_MEMORY, MHD_OPTION_CONNECTION_LIMIT,
        max_connections(httpd), MHD_OPTION_CONNECTION_TIMEOUT, patience,
        MHD_OPTION_UNESCAPE_CALLBACK, leave_as_it_is, NULL,
        httpd->service.is_remote ? MHD_OPTION_NOTIFY_CONNECTION : MHD_OPTION_END,
        http_peers_notify, &httpd->peers, MHD_OPTION_END);
}

struct httpd *
httpd_new(const struct httpd_spec *spec, struct error *err)
{
    AUTO(httpd) struct httpd *httpd = xcalloc(1, sizeof(*httpd));

    httpd->service = (struct http_service){.loop = spec->loop,
                                           .is_remote = spec->is_remote,
                                           .admit = spec->admit,
                                           .routes = spec->routes,
                                           .route_count = spec->route_count,
                                           .context = spec->context,
                                           .last_request_ms = loop_now_ms()};
    http_peers_init(&httpd->peers, spec->loop);
    httpd->daemon = start_daemon(httpd);
    if (!httpd->daemon)
        return (void)error_set(err, ERR_SYSTEM, "libmicrohttpd does not start"), NULL;
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(httpd->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    httpd->watch = (struct loop_watch){
        .fd = info->epoll_fd, .on_ready = on_sockets, .context = httpd};
    httpd->accepting = (struct loop_watch){
        .fd = spec->listener, .on_ready = on_connections, .context = httpd};
    httpd->retry = (struct loop_timer){.on_due = accept_again, .context = httpd};
    if (loop_watch_start(spec->loop, &httpd->watch, EPOLLIN, err) < 0 ||
        loop_watch_start(spec->loop, &httpd->accepting, EPOLLIN, err) < 0)
        return NULL;
    loop_on_prepare(spec->loop, prepare, httpd);
    return TAKE(httpd);
}

void
httpd_free(struct httpd *httpd)
{
    if (!httpd)
        return;
    loop_on_prepare(httpd->service.loop, NULL, NULL);
    loop_watch_stop(httpd->service.loop, &httpd->watch);
    loop_watch_stop(httpd->service.loop, &httpd->accepting);
    loop_timer_cancel(httpd->service.loop, &httpd->retry);
    /* libmicrohttpd aborts when it is stopped while a connection is suspended. */
    httpd->service.is_closing = true;
    for (struct http_request *request = httpd->service.requests; request;
         request = request->next) {
        request->client_left = true;
        http_resume(request);
    }
    if (httpd->daemon) {
        MHD_run(httpd->daemon);
        MHD_stop_daemon(httpd->daemon);
    }
    http_peers_stop(&httpd->peers);
    free(httpd);
}

int64_t
httpd_last_request_ms(const struct httpd *httpd)
{
    return httpd->service.last_request_ms;
}
