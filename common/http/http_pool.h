/*
 * http_pool: HTTP calls by libcurl inside a zloop; nothing waits.
 *
 * Callbacks are called by the loop, never from inside libcurl: so they may start and
 * cancel calls, this one included. Connections are kept and used again.
 *
 * Two sorts of calls: http_pool_start knows how sandboxd is spoken to;
 * http_pool_start_easy runs whatever its caller has set up.
 */
#pragma once

#include <czmq.h>

#include "common/buffer.h"
#include "common/http/curl_library.h"

struct http_pool;
struct http_call;

/* error.kind of no answer: ERR_NOT_FOUND when nobody listens there, ERR_TIMEOUT when it
 * took too long, ERR_DENIED when its certificate is not good, ERR_UNAVAILABLE when the
 * connection broke or could not be had. */
struct http_result {
    long status;        /* 0: there was no answer, or no whole one, see error */
    long begun;         /* the status of one that was cut, too */
    long retry_after_s; /* as the server asks; 0: it does not say */
    struct slice body;
    struct error error;
};

/* New bytes of a stream: returns how many were used, the rest comes again with more. */
typedef size_t http_data_fn(void *context, struct slice bytes);
/* Exactly once, unless cancelled. The call is gone afterwards. */
typedef void http_done_fn(void *context, const struct http_result *result);

struct http_request {
    const char *method, *url; /* copied, as are the strings below */
    const char *unix_path;    /* NULL: by TCP */
    const char *content_type, *token_header;
    const char *const *headers; /* further ones, "Name: value"; NULL, or ends in NULL */
    struct buffer *body;        /* its bytes are taken; NULL: none */
    struct slice payload;       /* or: the caller's, until on_done */
    long connect_timeout_ms, timeout_ms; /* 0: none, for streams */
    size_t max_bytes;      /* of the answer, or of what a stream leaves unused */
    http_data_fn *on_data; /* NULL: on_done gets the whole body */
    http_done_fn *on_done;
    void *context;
    /* Called at once, for what only its caller knows: certificates, a proxy. NULL: no
     * proxy, and the system's certificates. */
    void (*prepare)(CURL *easy, void *context);
};

struct http_pool *http_pool_new(zloop_t *loop);
/* Loads libcurl: needed before the first call, does nothing from then on. */
int http_pool_open(struct http_pool *pool, struct error *err) MUST_CHECK;
void http_pool_free(struct http_pool *pool); /* cancels all calls */

struct http_call *http_pool_start(struct http_pool *pool,
                                  const struct http_request *request);
void http_pool_cancel(struct http_call *call);

/* The caller's own handle, of an open pool: taken, also when it fails, and cleaned up
 * behind `done`, which is called once unless it is cancelled. */
typedef void http_easy_fn(CURL *easy, CURLcode result, void *context);
struct http_call *http_pool_start_easy(struct http_pool *pool, CURL **easy,
                                       http_easy_fn *done, void *context,
                                       struct error *err) MUST_CHECK;

/* A held call reads no further, and the sender gets to feel it. */
void http_pool_hold(struct http_call *call, bool hold);
