/*
 * routes: which handler a method and a path mean.
 *
 * Pure. A pattern is a path as it is on the wire, nothing decoded, in which one segment
 * may be `*`, which stands for one segment that is not empty, and whose end may be
 * `**`, which stands for whatever is left. Both are handed to the handler.
 */
#pragma once

#include "common/error.h"

struct http_request;

typedef void (*http_handler_fn)(struct http_request *request);

/* May the peer call this route? -1 with the reason: that is what it is told. */
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
 * and either answers or says this (http_receive), now or later; the client waits
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

/* NULL when there is none; *path_exists tells whether another method has one. */
const struct route *routes_find(const struct route *routes, size_t count,
                                const char *method, const char *path,
                                struct route_match *match, bool *path_exists);
