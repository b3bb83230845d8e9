/*
 * memory: keeps one sandbox within its memory, and its user's variables alive.
 *
 * Near the limit the worker's checkpoints go first. Then the cell is told, once: its
 * worker raises MemoryError in the user's code. Only when memory goes on to grow,
 * something is killed: what the cell has started, if that is the largest, else the
 * worker. How much is in use tells a control group, or, without one, a look at the
 * processes that is the more frequent the nearer the limit is; they stand still while
 * it is taken.
 */
#pragma once

#include <sys/types.h>

#include "sandbox/loop.h"
#include "sandbox/resources/cgroup.h"

struct memory;

enum {
    MEMORY_SETTLE_MS = 500 /* what a cell that was told gets to let go of memory */
};

struct memory_ops {
    void (*tell)(void *context);        /* the worker: raise MemoryError */
    void (*kill_worker)(void *context); /* it has not helped */
    void (*notice)(void *context, const char *message);
    pid_t (*worker)(void *context);              /* 0: there is none now */
    bool (*is_worker)(void *context, pid_t pid); /* or its checkpoint */
    bool (*give_way)(void *context); /* checkpoints end, if that helps; may be NULL */
    void *context;
};

/* limit in bytes; group may be NULL, and is borrowed. */
struct memory *memory_new(struct loop *loop, uint64_t limit, struct cgroup *group,
                          const struct memory_ops *ops);
void memory_free(struct memory *memory);

void memory_watch(struct memory *memory, pid_t root); /* 0: nothing is there now */
/* The sandbox's scratch file system, borrowed; -1: none. For who has no group. */
void memory_set_scratch(struct memory *memory, int scratch);
void memory_set_busy(struct memory *memory, bool is_busy); /* a request runs */

/* As it was when that was found out last: cheap. */
bool memory_is_half_used(const struct memory *memory);

struct memory_verdict {
    bool is_cause; /* the worker's death was for memory */
    uint64_t peak; /* bytes; 0: not known */
    uint64_t limit;
};

/* Of the worker that is gone; the next one starts with a clean slate. */
struct memory_verdict memory_judge(struct memory *memory);

static inline void
auto_memory(struct memory **memory)
{
    memory_free(*memory);
}
