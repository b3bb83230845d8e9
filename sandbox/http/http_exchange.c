#include "sandbox/http/http_exchange.h"

#include <sys/socket.h>

#include "sandbox/http/http_peers.h"
#include "sandbox/http/http_reply.h"
#include "sandbox/http/http_request.h"

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

    (void)error_set(&err, ERR_TOO_LARGE, "the body may have at most %zu bytes here",
                    max);
    refuse(request, &err);
}

struct lengths {
    unsigned lengths, encodings;
};

static enum MHD_Result
count_lengths(void *context, enum MHD_ValueKind kind UNUSED, const char *name,
              const char *value UNUSED)
{
    struct lengths *found = context;

    found->lengths += strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0;
    found->encodings += strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
    return MHD_YES;
}

/* Of two lengths one is taken, and whoever passed the request on may have taken the
 * other: what is left over would be the next request, of somebody else. libmicrohttpd
 * refuses that as well, as of some version. */
static bool
has_one_length(struct http_request *request)
{
    struct lengths found = {0};

    MHD_get_connection_values(request->connection, MHD_HEADER_KIND, count_lengths,
                              &found);
    return found.lengths + found.encodings <= 1;
}

/* With a token, or without where none is needed, it may take its time. */
static void
settle(struct http_request *request)
{
    if (request->service->is_remote)
        http_peers_settle(request->connection);
}

/* Who and what, before a byte of the body is read. */
static void
admit(struct http_request *request, const char *method)
{
    const struct http_service *service = request->service;
    struct error err;
    bool path_exists;

    if (!service->is_remote && !is_peer_allowed(http_socket(request))) {
        http_reply_code(request, 403, "denied",
                        "this sandboxd serves another user: start your own");
        return;
    }
    request->route = routes_find(service->routes, service->route_count, method,
                                 request->path, &request->match, &path_exists);
    if (!request->route && path_exists)
        http_reply_code(request, 405, "method",
                        "this path does not support the method");
    else if (!request->route)
        http_reply_code(request, 404, "not_found",
                        "no such path: see docs/sandbox-protocol.md");
    else if (service->admit && service->admit(request, &err) < 0)
        refuse(request, &err);
    else if (!(request->route->flags & ROUTE_OPEN))
        settle(request);
}

static void
link_request(struct http_request *request)
{
    request->next = request->service->requests;
    if (request->next)
        request->next->previous = request;
    request->service->requests = request;
}

static void
unlink_request(struct http_request *request)
{
    if (request->next)
        request->next->previous = request->previous;
    if (request->previous)
        request->previous->next = request->next;
    else
        request->service->requests = request->next;
}

static uint64_t
expected_body(const struct http_request *request)
{
    const char *length = http_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);

    return length ? strtoull(length, NULL, 10) : UINT64_MAX;
}

static struct http_request *
begin(struct http_service *service, struct MHD_Connection *connection, const char *url,
      const char *method)
{
    struct http_request *request = xcalloc(1, sizeof(*request));

    *request = (struct http_request){.service = service,
                                     .connection = connection,
                                     .path = xstrdup(url),
                                     .body = BUFFER_INIT(0)};
    service->last_request_ms = loop_now_ms();
    service->count++;
    link_request(request);
    request->expected = expected_body(request);
    admit(request, method);
    if (request->route)
        request->body.max = request->route->max_body;
    return request;
}

static void
reserve_body(struct http_request *request)
{
    if (request->route && request->expected != UINT64_MAX)
        buffer_reserve(&request->body, request->expected);
}

/* libmicrohttpd watches for edges, and takes a read that gave less than it asked for to
 * be the last before the next one: so it misses an end that had come behind those
 * bytes. To shut our side is an edge, and comes again while the connection is there. */
static void
on_cut_off(void *context, uint32_t events UNUSED)
{
    struct http_request *request = context;

    shutdown(http_socket(request), SHUT_RD);
    request->service->must_run = true;
}

static void
watch_for_cut_off(struct http_request *request)
{
    struct error err;

    if (request->hang_up.on_ready || request->received >= request->expected)
        return;
    request->hang_up = (struct loop_watch){
        .fd = http_socket(request), .on_ready = on_cut_off, .context = request};
    if (loop_watch_start(request->service->loop, &request->hang_up, EPOLLRDHUP, &err) <
        0)
        refuse(request, &err);
}

static enum MHD_Result
send_response(struct http_request *request)
{
    enum MHD_Result result =
        MHD_queue_response(request->connection, request->status, request->response);

    MHD_destroy_response(TAKE(request->response));
    return result;
}

/* A body that is too large is still read to its end: a client that is sending when the
 * connection closes does not see the reason. */
static void
collect(struct http_request *request, const char *data, size_t len)
{
    struct error err;

    request->received += len;
    watch_for_cut_off(request);
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
    loop_watch_stop(request->service->loop, &request->hang_up);
    if (!request->route || request->handled || request->response)
        return;
    request->handled = true;
    settle(request);
    if (request->sink.end)
        request->sink.end(request->sink.context);
    else
        request->route->handle(request);
}

/* Before the body: while the handler has not decided, nothing is read. */
static void
start(struct http_request *request)
{
    if (!is_streamed(request)) {
        reserve_body(request);
        return;
    }
    settle(request);
    request->route->handle(request);
    request->is_starting = !request->response && !request->sink.write;
    if (request->is_starting)
        http_suspend(request);
}

/* Answered before its body, whatever that is: libmicrohttpd then reads no more. */
static enum MHD_Result
end_connection(struct http_request *request)
{
    if (request->response)
        MHD_destroy_response(TAKE(request->response));
    http_reply_code(request, 400, "bad_input",
                    "a request may have one Content-Length, or one Transfer-Encoding");
    request->route = NULL;
    MHD_add_response_header(request->response, MHD_HTTP_HEADER_CONNECTION, "close");
    return send_response(request);
}

enum MHD_Result
http_exchange_proceed(void *context, struct MHD_Connection *connection, const char *url,
                      const char *method, const char *version UNUSED, const char *data,
                      size_t *len, void **state)
{
    struct http_request *request = *state;

    if (!request) {
        *state = request = begin(context, connection, url, method);
        if (!has_one_length(request))
            return end_connection(request);
        start(request);
        return MHD_YES;
    }
    if (request->is_starting) { /* told once more that the body is yet to come */
        request->is_starting = false;
        return request->service->is_closing ? MHD_NO : MHD_YES;
    }
    if (*len) {
        collect(request, data, *len);
        *len = 0;
        return MHD_YES;
    }
    if (!request->service->is_closing)
        handle(request);
    if (request->response)
        return send_response(request);
    if (request->service->is_closing)
        return MHD_NO;
    http_suspend(request);
    return MHD_YES;
}

void
http_exchange_end(void *context UNUSED, struct MHD_Connection *connection, void **state,
                  enum MHD_RequestTerminationCode code UNUSED)
{
    struct http_request *request = TAKE(*state);

    if (!request)
        return;
    if (request->service->is_remote)
        http_peers_wait(connection);
    unlink_request(request);
    loop_watch_stop(request->service->loop, &request->hang_up);
    event_log_detach(&request->reader);
    if (request->on_drop)
        request->on_drop(request->drop_context);
    if (request->response)
        MHD_destroy_response(request->response);
    buffer_release(&request->body);
    free(request->path);
    free(request);
}
