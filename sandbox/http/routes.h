/*
 * routes: which handler a method and a path mean.
 *
 * Pure. A pattern is a path as it is on the wire, nothing decoded, in which one segment
 * may be `*`, which stands for one segment that is not empty, and whose end may be
 * `**`, which stands for whatever is left. Both are handed to the handler.
 */
#pragma once

#include "common/base.h"

struct http_request;

typedef void (*http_handler_fn)(struct http_request *request);

enum {
    ROUTE_OPEN = 1,     /* needs no token */
    ROUTE_STREAMED = 2, /* the handler takes the body as it comes, see http_receive */
};

struct route {
    const char *method, *pattern;
    size_t max_body;
    http_handler_fn handle;
    unsigned flags;
};

/* Borrowed from the path; empty where the pattern has no such part. */
struct route_match {
    struct slice segment, rest;
};

/* NULL when there is none; *path_exists tells whether another method has one. */
const struct route *routes_find(const struct route *routes, size_t count,
                                const char *method, const char *path,
                                struct route_match *match, bool *path_exists);
