/*
 * unmapped: what Linux holds for a sandbox beyond the pages that its processes map.
 *
 * Control groups count it. Where there are none, this is an upper estimate from what
 * anybody may see: files in memory and their number, sockets, descriptors (a pipe's
 * pages belong to nobody), threads, and descriptions of mappings (mappings.h). What an
 * ordinary program has of each is free. The walls see to it that one socket holds no
 * more than is counted for it, and that there is no other memory without a process
 * (isolate.h, is_metered).
 *
 * Not counted, because nothing shows it: locks, and what epoll and inotify watch.
 */
#pragma once

#include "sandbox/resources/mappings.h"

struct unmapped {
    int scratch; /* a descriptor in the sandbox's scratch file system, borrowed, or -1
                  */
    uint64_t limit;           /* of the sandbox */
    uint64_t others;          /* all but descriptions of mappings, at the last look */
    struct mappings mappings; /* zero */
};

/* Of a root and those below it, in bytes. */
uint64_t unmapped_bytes(struct unmapped *unmapped, pid_t root);
