/*
 * tally: what has happened in a daemon's sandboxes since it started, in numbers, for
 * /metrics.
 */
#pragma once

#include "common/base.h"

/* Reasons are words of this program, few of them; a further one counts as `other'. */
enum {
    TALLY_REASONS = 20
};

struct tally_ends {
    struct {
        char reason[24];
        uint64_t count;
    } rows[TALLY_REASONS];
    size_t used;
};

struct tally {
    uint64_t cells;         /* that were begun */
    uint64_t memory_brakes; /* MemoryError raised in a cell, near the limit */
    struct tally_ends workers, sandboxes;
};

/* With the usual reasons at 0: what appears at 1 is not an increase for Prometheus. */
void tally_init(struct tally *tally);
void tally_end(struct tally_ends *ends, const char *reason);
