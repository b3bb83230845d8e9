/*
 * httpd: HTTP/1.1 by libmicrohttpd, inside our loop.
 *
 * Each request is an http_exchange, which calls the handler of its route. Knows nothing
 * of sandboxes.
 */
#pragma once

#include "sandbox/http/routes.h"
#include "sandbox/loop.h"

struct httpd;

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

static inline void
auto_httpd(struct httpd **httpd)
{
    httpd_free(*httpd);
}
