#include "sandbox/http/http_request.h"

#include "sandbox/http/http_connection.h"

void *
http_context(const struct http_request *request)
{
    return request->service->context;
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
    return request->service->count;
}

bool
http_is_remote(const struct http_request *request)
{
    return request->service->is_remote;
}

int
http_socket(const struct http_request *request)
{
    return MHD_get_connection_info(request->connection,
                                   MHD_CONNECTION_INFO_CONNECTION_FD)
        ->connect_fd;
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
    http_resume(request);
}

void
http_on_refusal(struct http_request *request,
                void (*tell)(struct http_request *request, const struct error *err))
{
    request->tell_refusal = tell;
}
