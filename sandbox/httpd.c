#include "sandbox/httpd.h"

#include "sandbox/http_exchange.h"

enum {
    MAX_CONNECTIONS = 8192,
    MAX_REMOTE_CONNECTIONS = 256, /* strangers, too, cost HTTP_CONNECTION_MEMORY each */
    REMOTE_PATIENCE_SECONDS = 300, /* with a peer that neither reads nor writes */
    MAX_RUNS = 4, /* in one pass of the loop: others want to be heard too */
};

/* What happened in this pass goes out in one run: many small events, one write. After a
 * resume libmicrohttpd wants to be run twice. */
static int
prepare(void *context)
{
    struct httpd *httpd = context;
    MHD_UNSIGNED_LONG_LONG timeout = 0;

    for (int run = 0; httpd->must_run && run < MAX_RUNS; run++) {
        httpd->must_run = false;
        MHD_run(httpd->daemon);
        if (MHD_get_timeout(httpd->daemon, &timeout) == MHD_YES && timeout == 0)
            httpd->must_run = true;
    }
    return httpd->must_run ? 0 : -1;
}

static void
on_sockets(void *context, uint32_t events UNUSED)
{
    struct httpd *httpd = context;

    httpd->must_run = true;
}

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
    const struct httpd_spec *spec = &httpd->spec;
    unsigned most = spec->is_remote ? MAX_REMOTE_CONNECTIONS : MAX_CONNECTIONS;
    unsigned patience = spec->is_remote ? REMOTE_PATIENCE_SECONDS : 0;

    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, http_exchange_proceed,
        httpd, MHD_OPTION_LISTEN_SOCKET, spec->listener, MHD_OPTION_NOTIFY_COMPLETED,
        http_exchange_end, httpd, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)HTTP_CONNECTION_MEMORY, MHD_OPTION_CONNECTION_LIMIT, most,
        MHD_OPTION_CONNECTION_TIMEOUT, patience, MHD_OPTION_UNESCAPE_CALLBACK,
        leave_as_it_is, NULL, MHD_OPTION_END);
}

struct httpd *
httpd_new(const struct httpd_spec *spec, struct error *err)
{
    AUTO(httpd) struct httpd *httpd = xcalloc(1, sizeof(*httpd));

    httpd->spec = *spec;
    httpd->last_request_ms = loop_now_ms();
    httpd->daemon = start_daemon(httpd);
    if (!httpd->daemon)
        return (void)error_set(err, ERR_SYSTEM, "libmicrohttpd does not start"), NULL;
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(httpd->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    httpd->watch = (struct loop_watch){
        .fd = info->epoll_fd, .on_ready = on_sockets, .context = httpd};
    if (loop_watch_start(spec->loop, &httpd->watch, EPOLLIN, err) < 0)
        return NULL;
    loop_on_prepare(spec->loop, prepare, httpd);
    return TAKE(httpd);
}

void
httpd_free(struct httpd *httpd)
{
    if (!httpd)
        return;
    loop_on_prepare(httpd->spec.loop, NULL, NULL);
    loop_watch_stop(httpd->spec.loop, &httpd->watch);
    /* libmicrohttpd aborts when it is stopped while a connection is suspended. */
    httpd->is_closing = true;
    for (struct http_request *request = httpd->requests; request;
         request = request->next) {
        request->client_left = true;
        http_resume(request);
    }
    if (httpd->daemon) {
        MHD_run(httpd->daemon);
        MHD_stop_daemon(httpd->daemon);
    }
    free(httpd);
}

int64_t
httpd_last_request_ms(const struct httpd *httpd)
{
    return httpd->last_request_ms;
}
