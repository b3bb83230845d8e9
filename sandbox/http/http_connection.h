/*
 * http_connection: an open request, and the state that all requests share. For the
 * files of this room; handlers use http_request.h.
 */
#pragma once

#include <microhttpd.h>

#include "common/buffer.h"
#include "sandbox/http/routes.h"
#include "sandbox/loop.h"
#include "sandbox/messages/event_log.h"

enum {
    HTTP_CONNECTION_MEMORY = 512 << 10, /* half of it is one chunk of a stream */
};

struct http_service {
    struct loop *loop;
    bool is_remote;      /* TCP: the user of a peer cannot be checked */
    http_admit_fn admit; /* NULL: everybody who can connect */
    const struct route *routes;
    size_t route_count;
    void *context; /* of the handlers */

    bool must_run; /* libmicrohttpd has something to do */
    bool is_closing;
    int64_t last_request_ms;
    uint64_t count;
    struct http_request *requests; /* all that are open */
};

struct http_request {
    struct http_service *service;
    struct MHD_Connection *connection;
    const struct route *route; /* NULL: the answer is an error already */
    struct route_match match;  /* borrowed from path */
    char *path;
    struct buffer body;
    uint64_t received, expected; /* of the body; UINT64_MAX: until it ends */
    bool handled, suspended;
    bool is_starting;      /* until a handler answers or names a sink */
    struct http_sink sink; /* of a streamed body, once the handler has given it */
    void (*on_drop)(void *context);
    void *drop_context;
    void (*tell_refusal)(struct http_request *request, const struct error *err);
    struct MHD_Response *response;
    unsigned status;
    struct event_reader reader; /* of a stream */
    struct loop_watch hang_up;  /* of the client: in its body, or of a stream */
    bool client_left;
    struct http_request *previous, *next;
};

/* Nothing is read or sent meanwhile. */
void http_suspend(struct http_request *request);
void http_resume(struct http_request *request); /* also when it is not suspended */
