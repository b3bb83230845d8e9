/*
 * retry: whether a failed turn is tried again, and after how long. One table for all
 * providers, pure.
 */
#pragma once

#include "bridge/models/failure.h"

enum {
    RETRY_MAX = 2,            /* tries after the first */
    RETRY_LONGEST_MS = 60000, /* a server that asks for more is not waited for */
};

struct retry {
    bool again;
    int64_t wait_ms;
};

/* `tried` is how often it was tried again so far; 0 <= jitter < 1. A wait that is too
 * long says so in failure->text. */
struct retry retry_decide(struct failure *failure, int tried, double jitter);

/* Retry-After: seconds or an HTTP date, against `now` (Unix seconds). -1 if it is none.
 */
int64_t retry_after_ms(const char *value, int64_t now);
