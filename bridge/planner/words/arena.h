/*
 * arena: memory for one answer, given back all at once.
 *
 * What the planner builds while it reads a question refers to each other freely;
 * nothing of it outlives the answer.
 */
#pragma once

#include "common/base.h"

struct arena {
    struct arena_block *newest;
};

void *arena_alloc(struct arena *arena, size_t count, size_t size); /* zeroed */
char *arena_text(struct arena *arena, const char *text, size_t len);
char *arena_printf(struct arena *arena, const char *fmt, ...) PRINTF(2, 3);
void arena_release(struct arena *arena);

static inline void
auto_arena(struct arena *arena)
{
    arena_release(arena);
}
