/*
 * routes: finds the handler for a method and a path.
 *
 * Pure. A pattern is a path as on the wire, not decoded. One segment may be `*`, which
 * matches one segment that is not empty; the end may be `**`, which matches the rest of
 * the path. The handler gets both matches.
 */
#pragma once

#include "common/error.h"

struct http_request;

typedef void (*http_handler_fn)(struct http_request *request);

/* May the peer call this route? If not, -1 and the reason, which is sent to the
 * peer. */
typedef int (*http_admit_fn)(struct http_request *request, struct error *err);

enum {
    ROUTE_OPEN = 1,     /* needs no token */
    ROUTE_STREAMED = 2, /* the handler takes the body as it comes, see http_receive */
    ROUTE_CLAIM = 4,    /* needs the key of claims, where there is one */
};

struct route {
    const char *method, *pattern;
    size_t max_body;
    http_handler_fn handle;
    unsigned flags;
};

/* Where the body of a ROUTE_STREAMED goes. Its handler is called before the body comes,
 * and either answers or names a sink (http_receive), now or later; the client waits
 * meanwhile. */
struct http_sink {
    int (*write)(void *context, const char *data, size_t len, struct error *err);
    void (*end)(void *context); /* all is there: answer, now or later */
    void *context;
};

/* Borrowed from the path; empty where the pattern has no such part. */
struct route_match {
    struct slice segment, rest;
};

/* NULL if there is none; *path_exists says whether the path has one for another
 * method. */
const struct route *routes_find(const struct route *routes, size_t count,
                                const char *method, const char *path,
                                struct route_match *match, bool *path_exists);
