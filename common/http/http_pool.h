/*
 * http_pool: HTTP calls by libcurl inside a zloop; nothing waits.
 *
 * The loop calls the callbacks, never libcurl, so they may start and cancel calls,
 * their own included. Connections are kept and reused.
 *
 * Two sorts of calls: http_pool_start sets up calls to sandboxd; http_pool_start_easy
 * runs a handle that its caller has set up.
 */
#pragma once

#include <czmq.h>

#include "common/buffer.h"
#include "common/http/curl_library.h"

struct http_pool;
struct http_call;

/* error.kind when there is no answer: ERR_NOT_FOUND if nothing listens there,
 * ERR_TIMEOUT if it took too long, ERR_DENIED if the certificate is not valid,
 * ERR_TOO_LARGE if it had more than max_bytes, ERR_UNAVAILABLE if the connection failed
 * or broke. */
struct http_result {
    long status;        /* 0: there was no answer, or no whole one, see error */
    long begun;         /* the status of one that was cut, too */
    long retry_after_s; /* as the server asks; 0: it does not say */
    time_t date;        /* by the server's clock; 0: it does not say */
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
    const char *content_type, *token_header, *trace_header;
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

/* Runs the caller's own handle in an open pool. Takes the handle, also on failure, and
 * cleans it up after `done`, which is called once unless the call is cancelled. */
typedef void http_easy_fn(CURL *easy, CURLcode result, void *context);
struct http_call *http_pool_start_easy(struct http_pool *pool, CURL **easy,
                                       http_easy_fn *done, void *context,
                                       struct error *err) MUST_CHECK;

/* A held call stops reading, so that the sender has to wait. */
void http_pool_hold(struct http_call *call, bool hold);
