/*
 * httpd: HTTP/1.1 by libmicrohttpd, inside our loop.
 *
 * Finds the route, checks who is at the other end and how much it sends, collects the
 * body, calls the handler, and sends what it answers: at once, later, or as a stream of
 * events. Knows nothing of sandboxes.
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"
#include "sandbox/event_log.h"
#include "sandbox/loop.h"
#include "sandbox/routes.h"

struct httpd;

/* May the peer call this route? -1 with the reason: that is what it is told. */
typedef int (*http_admit_fn)(struct http_request *request, struct error *err);

struct httpd_spec {
    struct loop *loop;
    int listener;        /* borrowed */
    bool is_remote;      /* TCP: a peer has no user that could be checked */
    http_admit_fn admit; /* NULL: everybody who can connect */
    const struct route *routes;
    size_t route_count;
    void *context; /* of the handlers */
};

/* One of them in a loop: it is the loop's `prepare`. */
struct httpd *httpd_new(const struct httpd_spec *spec, struct error *err) MUST_CHECK;
void httpd_free(struct httpd *httpd);
int64_t httpd_last_request_ms(const struct httpd *httpd);

/* --- for handlers: each answers exactly once, now or later --- */

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

/* --- for handlers that want to hear how it goes on --- */

/* Called once, when the request is over: answered, cut off, or sandboxd leaves. */
void http_on_drop(struct http_request *request, void (*on_drop)(void *context),
                  void *context);

/* Where the body of a ROUTE_STREAMED goes. Its handler is called before the body comes,
 * and either answers or says this, now or later; the client waits meanwhile. */
struct http_sink {
    int (*write)(void *context, const char *data, size_t len, struct error *err);
    void (*end)(void *context); /* all is there: answer, now or later */
    void *context;
};

void http_receive(struct http_request *request, const struct http_sink *sink);

/* --- forms (multipart/form-data), by libmicrohttpd's post processor --- */

struct http_form;

/* A part's bytes, as they come; offset 0 begins a part. name: of its file, or NULL. */
typedef int (*http_part_fn)(void *context, const char *key, const char *name,
                            uint64_t offset, struct slice data, struct error *err);

/* NULL: the body is no form. */
struct http_form *http_form_new(struct http_request *request, http_part_fn on_part,
                                void *context);
int http_form_read(struct http_form *form, const char *data, size_t len,
                   struct error *err) MUST_CHECK;
void http_form_free(struct http_form *form);

/* How a request that its sink refuses is told, instead of our own way. */
void http_on_refusal(struct http_request *request,
                     void (*tell)(struct http_request *request,
                                  const struct error *err));

static inline void
auto_httpd(struct httpd **httpd)
{
    httpd_free(*httpd);
}
