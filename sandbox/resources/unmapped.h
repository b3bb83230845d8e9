/*
 * unmapped: what Linux holds for a sandbox beyond the pages that its processes map.
 *
 * Control groups count it. Where there are none, this is an upper estimate from what
 * anybody may see: files in memory and their number, sockets, descriptors (a pipe's
 * pages belong to nobody) and threads. What an ordinary program has of each
 * is free. The walls see to it that one socket holds no more than is counted for it,
 * and that there is no other memory without a process (isolate.h, is_metered).
 *
 * Not counted, because nothing shows it cheaply: descriptions of mappings (15 MB a
 * process at most), of locks and of what epoll and inotify watch.
 */
#pragma once

#include <sys/types.h>

#include "common/base.h"

/* scratch: a descriptor in the sandbox's scratch file system, or -1. Bytes. */
uint64_t unmapped_bytes(pid_t root, int scratch);
