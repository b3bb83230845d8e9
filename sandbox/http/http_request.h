/*
 * http_request: what a handler sees of a request, and how it answers.
 *
 * Each request is answered exactly once, now or later.
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"
#include "sandbox/http/routes.h"
#include "sandbox/messages/event_log.h"

void *http_context(const struct http_request *request);
struct slice http_segment(const struct http_request *request); /* what `*` stood for */
struct buffer *http_body(struct http_request *request);
const struct route *http_route(const struct http_request *request);
struct slice http_rest(const struct http_request *request); /* `**`, as it came */
const char *http_query(const struct http_request *request, const char *name);
const char *http_header(const struct http_request *request, const char *name);
bool http_is_remote(const struct http_request *request);
int http_socket(const struct http_request *request);
uint64_t http_count(const struct http_request *request); /* requests so far, with it */

void http_reply(struct http_request *request, unsigned status,
                json_t *body); /* takes */
void http_reply_empty(struct http_request *request, unsigned status);
void http_reply_text(struct http_request *request, unsigned status, const char *type,
                     struct buffer *text); /* takes */
/* The file from its start; takes it. */
void http_reply_file(struct http_request *request, int file, uint64_t size);
void http_reply_error(struct http_request *request, const struct error *err);
void http_stream(struct http_request *request, struct event_log *log, uint64_t after);

/* --- for handlers that follow what happens to their request --- */

/* Called once, when the request is over: answered, cut off, or sandboxd leaves. */
void http_on_drop(struct http_request *request, void (*on_drop)(void *context),
                  void *context);

/* Where the body of a ROUTE_STREAMED goes. */
void http_receive(struct http_request *request, const struct http_sink *sink);

/* How to answer a request that its sink refuses, in place of the usual error. */
void http_on_refusal(struct http_request *request,
                     void (*tell)(struct http_request *request,
                                  const struct error *err));
