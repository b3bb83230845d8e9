#include "sandbox/httpd.h"

#include <microhttpd.h>
#include <sys/socket.h>

#define LOG_COMPONENT "http"
#include "common/log.h"

enum {
    CONNECTION_MEMORY = 512 << 10, /* half of it is one chunk of a stream */
    MAX_CONNECTIONS = 8192,
    MAX_REMOTE_CONNECTIONS = 256,  /* strangers, too, cost CONNECTION_MEMORY each */
    REMOTE_PATIENCE_SECONDS = 300, /* with a peer that neither reads nor writes */
    MAX_RUNS = 4, /* in one pass of the loop: others want to be heard too */
};

struct httpd {
    struct httpd_spec spec;
    struct MHD_Daemon *daemon;
    struct loop_watch watch;
    bool must_run, is_closing;
    int64_t last_request_ms;
    uint64_t count;
    struct http_request *requests; /* all that are open */
};

struct http_request {
    struct httpd *httpd;
    struct MHD_Connection *connection;
    const struct route *route; /* NULL: the answer is an error already */
    struct route_match match;  /* borrowed from path */
    char *path;
    struct buffer body;
    bool handled, suspended;
    bool is_starting;      /* the handler of a streamed body waits before it */
    struct http_sink sink; /* of a streamed body, once the handler has given it */
    void (*on_drop)(void *context);
    void *drop_context;
    void (*tell_refusal)(struct http_request *request, const struct error *err);
    struct MHD_Response *response;
    unsigned status;
    struct event_reader reader; /* of a stream */
    struct loop_watch hang_up;
    bool client_left;
    struct http_request *previous, *next;
};

/* --- answers --- */

static void
resume(struct http_request *request)
{
    if (!request->suspended)
        return;
    request->suspended = false;
    request->httpd->must_run = true;
    MHD_resume_connection(request->connection);
}

static void
suspend(struct http_request *request)
{
    request->suspended = true;
    MHD_suspend_connection(request->connection);
}

static void
set_response(struct http_request *request, unsigned status,
             struct MHD_Response *response, const char *type)
{
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    request->response = response;
    request->status = status;
    resume(request);
}

/* Takes text, which is malloc's. */
static void
set_text(struct http_request *request, unsigned status, char *text)
{
    set_response(
        request, status,
        MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE),
        "application/json");
}

void
http_reply(struct http_request *request, unsigned status, json_t *body)
{
    char *text = json_dumps(body, JSON_COMPACT);

    json_decref(body);
    set_text(request, status, text ? text : xstrdup("{}"));
}

void
http_reply_empty(struct http_request *request, unsigned status)
{
    request->response =
        MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    request->status = status;
    resume(request);
}

void
http_reply_text(struct http_request *request, unsigned status, const char *type,
                struct buffer *text)
{
    size_t len = text->len;
    char *data = text->data ? TAKE(text->data) : xstrdup("");

    buffer_release(text);
    set_response(request, status,
                 MHD_create_response_from_buffer(len, data, MHD_RESPMEM_MUST_FREE),
                 type);
}

void
http_reply_file(struct http_request *request, int file, uint64_t size)
{
    set_response(request, MHD_HTTP_OK, MHD_create_response_from_fd64(size, file),
                 "application/octet-stream");
}

void
http_on_drop(struct http_request *request, void (*on_drop)(void *context),
             void *context)
{
    request->on_drop = on_drop;
    request->drop_context = context;
}

void
http_receive(struct http_request *request, const struct http_sink *sink)
{
    request->sink = *sink;
    resume(request);
}

void
http_on_refusal(struct http_request *request,
                void (*tell)(struct http_request *request, const struct error *err))
{
    request->tell_refusal = tell;
}

/* By hand: the text may quote a client's bytes, which need not be UTF-8. */
static void
reply_error(struct http_request *request, unsigned status, const char *code,
            const char *message)
{
    struct buffer text = BUFFER_INIT(SIZE_MAX);

    buffer_printf(&text, "{\"error\":{\"code\":\"%s\",\"message\":", code);
    buffer_append_json_string(&text, slice_of(message));
    buffer_append_text(&text, "}}");
    log_debug("%s -> %u %s", request->path, status, code);
    set_text(request, status, text.data);
}

void
http_reply_error(struct http_request *request, const struct error *err)
{
    reply_error(request, error_http_status(err->kind), error_code(err->kind),
                err->text);
}

/* --- streams --- */

static void
on_news(void *context)
{
    resume(context);
}

static void
on_hang_up(void *context, uint32_t events UNUSED)
{
    struct http_request *request = context;

    request->client_left = true;
    resume(request);
}

static ssize_t
read_stream(void *context, uint64_t position UNUSED, char *out, size_t max)
{
    struct http_request *request = context;

    if (request->client_left)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    size_t len = event_reader_read(&request->reader, out, max);
    if (len)
        return (ssize_t)len;
    if (event_reader_has_ended(&request->reader))
        return MHD_CONTENT_READER_END_OF_STREAM;
    suspend(request);
    return 0;
}

/* While a stream is suspended, libmicrohttpd does not look at its socket: we do. */
static int
watch_for_hang_up(struct http_request *request, struct error *err)
{
    request->hang_up = (struct loop_watch){
        .fd = http_socket(request), .on_ready = on_hang_up, .context = request};
    return loop_watch_start(request->httpd->spec.loop, &request->hang_up,
                            (uint32_t)(EPOLLRDHUP | EPOLLET), err);
}

void
http_stream(struct http_request *request, struct event_log *log, uint64_t after)
{
    struct error err;

    request->reader = (struct event_reader){.on_news = on_news, .context = request};
    if (event_log_attach(log, &request->reader, after, &err) < 0 ||
        watch_for_hang_up(request, &err) < 0) {
        http_reply_error(request, &err);
        return;
    }
    set_response(request, MHD_HTTP_OK,
                 MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, CONNECTION_MEMORY,
                                                   read_stream, request, NULL),
                 "application/x-cellpod-envelope");
}

/* --- requests --- */

void *
http_context(const struct http_request *request)
{
    return request->httpd->spec.context;
}

struct slice
http_segment(const struct http_request *request)
{
    return request->match.segment;
}

struct buffer *
http_body(struct http_request *request)
{
    return &request->body;
}

const char *
http_query(const struct http_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND,
                                       name);
}

const struct route *
http_route(const struct http_request *request)
{
    return request->route;
}

struct slice
http_rest(const struct http_request *request)
{
    return request->match.rest;
}

const char *
http_header(const struct http_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

uint64_t
http_count(const struct http_request *request)
{
    return request->httpd->count;
}

bool
http_is_remote(const struct http_request *request)
{
    return request->httpd->spec.is_remote;
}

int
http_socket(const struct http_request *request)
{
    return MHD_get_connection_info(request->connection,
                                   MHD_CONNECTION_INFO_CONNECTION_FD)
        ->connect_fd;
}

static bool
is_peer_allowed(int socket)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);

    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
           (peer.uid == geteuid() || peer.uid == 0);
}

/* No handler will see it. */
static void
refuse(struct http_request *request, const struct error *err)
{
    request->route = NULL;
    if (request->tell_refusal)
        request->tell_refusal(request, err);
    else
        http_reply_error(request, err);
}

static void
refuse_too_large(struct http_request *request, size_t max)
{
    struct error err;

    (void)error_set(&err, ERR_TOO_LARGE, "the body may have %zu bytes here", max);
    refuse(request, &err);
}

/* Who and what, before a byte of the body is read. */
static void
admit(struct http_request *request, const char *method)
{
    const struct httpd_spec *spec = &request->httpd->spec;
    struct error err;
    bool path_exists;

    if (!spec->is_remote && !is_peer_allowed(http_socket(request))) {
        reply_error(request, 403, "denied",
                    "this sandboxd serves another user: start your own");
        return;
    }
    request->route = route_find(spec->routes, spec->route_count, method, request->path,
                                &request->match, &path_exists);
    if (!request->route && path_exists)
        reply_error(request, 405, "method", "this path has other methods");
    else if (!request->route)
        reply_error(request, 404, "not_found",
                    "no such path: see docs/sandbox-protocol.md");
    else if (spec->admit && spec->admit(request, &err) < 0)
        refuse(request, &err);
}

static void
link_request(struct http_request *request)
{
    request->next = request->httpd->requests;
    if (request->next)
        request->next->previous = request;
    request->httpd->requests = request;
}

static void
unlink_request(struct http_request *request)
{
    if (request->next)
        request->next->previous = request->previous;
    if (request->previous)
        request->previous->next = request->next;
    else
        request->httpd->requests = request->next;
}

static struct http_request *
begin(struct httpd *httpd, struct MHD_Connection *connection, const char *url,
      const char *method)
{
    struct http_request *request = xcalloc(1, sizeof(*request));

    *request = (struct http_request){.httpd = httpd,
                                     .connection = connection,
                                     .path = xstrdup(url),
                                     .body = BUFFER_INIT(0)};
    httpd->last_request_ms = loop_now_ms();
    httpd->count++;
    link_request(request);
    admit(request, method);
    if (request->route)
        request->body.max = request->route->max_body;
    return request;
}

static void
reserve_body(struct http_request *request)
{
    const char *length = http_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);

    if (request->route && length)
        buffer_reserve(&request->body, strtoull(length, NULL, 10));
}

static enum MHD_Result
send_response(struct http_request *request)
{
    enum MHD_Result result =
        MHD_queue_response(request->connection, request->status, request->response);

    MHD_destroy_response(TAKE(request->response));
    return result;
}

/* What is too large is read to its end all the same: a client that is still sending
 * when the connection closes does not get to see why. */
static void
collect(struct http_request *request, const char *data, size_t len)
{
    struct error err;

    if (!request->route || request->response)
        return;
    if (request->sink.write) {
        if (request->sink.write(request->sink.context, data, len, &err) < 0)
            refuse(request, &err);
    } else if (buffer_append(&request->body, data, len) < 0) {
        refuse_too_large(request, request->route->max_body);
    }
}

static bool
is_streamed(const struct http_request *request)
{
    return request->route && request->route->flags & ROUTE_STREAMED;
}

/* All that the client sends is here; of a streamed body the handler knows all but the
 * end. */
static void
handle(struct http_request *request)
{
    if (!request->route || request->handled || request->response)
        return;
    request->handled = true;
    if (request->sink.end)
        request->sink.end(request->sink.context);
    else
        request->route->handle(request);
}

/* Before the body: who waits for the handler reads nothing yet. */
static void
start(struct http_request *request)
{
    if (!is_streamed(request)) {
        reserve_body(request);
        return;
    }
    request->route->handle(request);
    request->is_starting = !request->response && !request->sink.write;
    if (request->is_starting)
        suspend(request);
}

static enum MHD_Result
on_request(void *context, struct MHD_Connection *connection, const char *url,
           const char *method, const char *version UNUSED, const char *data,
           size_t *len, void **state)
{
    struct http_request *request = *state;

    if (!request) {
        *state = request = begin(context, connection, url, method);
        start(request);
        return MHD_YES;
    }
    if (request->is_starting) { /* told once more that the body is yet to come */
        request->is_starting = false;
        return request->httpd->is_closing ? MHD_NO : MHD_YES;
    }
    if (*len) {
        collect(request, data, *len);
        *len = 0;
        return MHD_YES;
    }
    if (!request->httpd->is_closing)
        handle(request);
    if (request->response)
        return send_response(request);
    if (request->httpd->is_closing)
        return MHD_NO;
    suspend(request);
    return MHD_YES;
}

static void
on_completed(void *context UNUSED, struct MHD_Connection *connection UNUSED,
             void **state, enum MHD_RequestTerminationCode code UNUSED)
{
    struct http_request *request = TAKE(*state);

    if (!request)
        return;
    unlink_request(request);
    loop_watch_stop(request->httpd->spec.loop, &request->hang_up);
    event_log_detach(&request->reader);
    if (request->on_drop)
        request->on_drop(request->drop_context);
    if (request->response)
        MHD_destroy_response(request->response);
    buffer_release(&request->body);
    free(request->path);
    free(request);
}

/* --- forms --- */

enum {
    FORM_MEMORY = 64 << 10, /* for the heads of parts; a longer one is an error */
};

struct http_form {
    struct MHD_PostProcessor *processor;
    http_part_fn on_part;
    void *context;
    bool has_failed;
    struct error err;
};

static enum MHD_Result
on_form_part(void *context, enum MHD_ValueKind kind UNUSED, const char *key,
             const char *name, const char *type UNUSED, const char *encoding UNUSED,
             const char *data, uint64_t offset, size_t size)
{
    struct http_form *form = context;

    if (!form->has_failed &&
        form->on_part(form->context, key ? key : "", name, offset,
                      (struct slice){data ? data : "", size}, &form->err) < 0)
        form->has_failed = true;
    return form->has_failed ? MHD_NO : MHD_YES;
}

struct http_form *
http_form_new(struct http_request *request, http_part_fn on_part, void *context)
{
    const char *type = http_header(request, MHD_HTTP_HEADER_CONTENT_TYPE);
    struct http_form *form;

    if (!type || strncasecmp(type, "multipart/form-data", 19) != 0)
        return NULL;
    form = xcalloc(1, sizeof(*form));
    *form = (struct http_form){.on_part = on_part, .context = context};
    form->processor =
        MHD_create_post_processor(request->connection, FORM_MEMORY, on_form_part, form);
    if (form->processor)
        return form;
    free(form);
    return NULL;
}

int
http_form_read(struct http_form *form, const char *data, size_t len, struct error *err)
{
    if (MHD_post_process(form->processor, data, len) == MHD_YES && !form->has_failed)
        return 0;
    if (!form->has_failed)
        (void)error_set(&form->err, ERR_BAD_INPUT, "the form is malformed");
    *err = form->err;
    return -1;
}

void
http_form_free(struct http_form *form)
{
    if (!form)
        return;
    form->has_failed = true; /* what is left over is nobody's */
    MHD_destroy_post_processor(form->processor);
    free(form);
}

/* --- the daemon --- */

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
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, httpd,
        MHD_OPTION_LISTEN_SOCKET, spec->listener, MHD_OPTION_NOTIFY_COMPLETED,
        on_completed, httpd, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_MEMORY, MHD_OPTION_CONNECTION_LIMIT, most,
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
        resume(request);
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
