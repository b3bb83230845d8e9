/*
 * usage: what the processes of a sandbox use, as /proc shows it.
 *
 * Shared memory counts by its share (PSS) where we may see it, else in full.
 */
#pragma once

#include <jansson.h>
#include <sys/types.h>

#include "common/base.h"

/* Of one sandbox; zero at first. */
struct usage_meter {
    int64_t last_ms;
    uint64_t last_ticks;
};

/* {"hostname","pid","cpu_percent","memory_bytes","cpu_count"}; a new reference. The
 * percentage is of the time since the last call, 0 at the first. init 0: no process. */
json_t *usage_measure(struct usage_meter *meter, pid_t init, pid_t worker);
