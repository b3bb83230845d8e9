/*
 * http_exchange: one request and its answer, between libmicrohttpd and a handler.
 *
 * Finds the route, checks who is at the other end and how much it sends, collects the
 * body, calls the handler, and sends what that answers. Handlers see http_request.h;
 * this is for the files behind it.
 */
#pragma once

#include <microhttpd.h>

#include "sandbox/http/http_request.h"
#include "sandbox/http/httpd.h"

enum {
    HTTP_CONNECTION_MEMORY = 512 << 10, /* half of it is one chunk of a stream */
};

struct httpd {
    struct httpd_spec spec;
    struct MHD_Daemon *daemon;
    struct loop_watch watch, accepting;
    struct loop_timer retry; /* accepting, after a pause */
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
    uint64_t received, expected; /* of the body; UINT64_MAX: until it ends */
    bool handled, suspended;
    bool is_starting;      /* the handler of a streamed body waits before it */
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

/* libmicrohttpd's: as it hears more of a request, and when that is over. */
enum MHD_Result http_exchange_proceed(void *context, struct MHD_Connection *connection,
                                      const char *url, const char *method,
                                      const char *version, const char *data,
                                      size_t *len, void **state);
void http_exchange_end(void *context, struct MHD_Connection *connection, void **state,
                       enum MHD_RequestTerminationCode code);

/* Nothing is read or sent meanwhile. */
void http_suspend(struct http_request *request);
void http_resume(struct http_request *request); /* also when it is not suspended */

/* The answer; takes response. */
void http_set_response(struct http_request *request, unsigned status,
                       struct MHD_Response *response, const char *type);
void http_reply_code(struct http_request *request, unsigned status, const char *code,
                     const char *message);
