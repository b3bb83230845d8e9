/*
 * routes: which handler a method and a path mean.
 *
 * Pure. A pattern is a path in which one segment may be `*`, which stands for one
 * segment that is not empty and is handed to the handler.
 */
#pragma once

#include "common/base.h"

struct http_request;

typedef void (*http_handler_fn)(struct http_request *request);

struct route {
    const char *method, *pattern;
    size_t max_body;
    http_handler_fn handle;
};

/* NULL when there is none; *path_exists tells whether another method has one. */
const struct route *route_find(const struct route *routes, size_t count,
                               const char *method, const char *path,
                               struct slice *segment, bool *path_exists);
