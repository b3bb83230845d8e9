/*
 * mappings: what Linux keeps to describe the mappings of a sandbox's processes.
 *
 * A process can have max_map_count of them, some 20 MB of kernel memory, without a page
 * in any; no file but the list itself says how many there are, and reading that takes
 * 0.4 µs for each. So they are counted anew only when the machine's kernel memory has
 * grown since, or when they are many; the list of one process is read up to an eighth
 * of what it can have, and counts in full from there on; and one count takes
 * MAPPINGS_MOST_MS at most, after which the processes that are left count as the others
 * did. The next one begins with them. Reading a list can wait for long,
 * so nothing is counted while a sandbox takes memory in other ways (unmapped.c).
 */
#pragma once

#include <sys/types.h>

#include "common/base.h"

enum {
    MAPPINGS_MOST_MS = 100
};

/* Zero at first. */
struct mappings {
    uint64_t bytes;  /* when counted last */
    uint64_t slab;   /* of the machine then, that cannot be taken back; 0: not yet */
    uint64_t most;   /* of one process, by the machine's setting */
    int64_t when_ms; /* then */
    int64_t took_ms;
    size_t first; /* process of the next count */
};

/* Of a root and those below it, in bytes: an estimate. `limit`: the sandbox's. */
uint64_t mappings_bytes(struct mappings *mappings, pid_t root, uint64_t limit);
