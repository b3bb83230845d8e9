/*
 * metrics: what the daemon has to tell Prometheus. Nothing of a sandbox's own: no name,
 * no id, no text.
 */
#pragma once

#include "common/buffer.h"
#include "sandbox/life/pool.h"

/* requests: HTTP requests so far */
void metrics_write(struct pool *pool, uint64_t requests, struct buffer *out);
