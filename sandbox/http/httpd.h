/*
 * httpd: HTTP/1.1 by libmicrohttpd, on our loop.
 *
 * Each request is an http_exchange, which calls the handler of its route. This room
 * knows nothing about sandboxes.
 */
#pragma once

#include "sandbox/http/routes.h"
#include "sandbox/loop.h"

struct httpd;

struct httpd_spec {
    struct loop *loop;
    int listener;        /* borrowed */
    bool is_remote;      /* TCP: the user of a peer cannot be checked */
    http_admit_fn admit; /* NULL: everybody who can connect */
    const struct route *routes;
    size_t route_count;
    void *context; /* of the handlers */
};

/* A loop can have only one httpd: it is the loop's `prepare`. */
struct httpd *httpd_new(const struct httpd_spec *spec, struct error *err) MUST_CHECK;
void httpd_free(struct httpd *httpd);
int64_t httpd_last_request_ms(const struct httpd *httpd);

static inline void
auto_httpd(struct httpd **httpd)
{
    httpd_free(*httpd);
}
