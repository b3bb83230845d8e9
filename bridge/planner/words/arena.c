#include "bridge/planner/words/arena.h"

#include <stdarg.h>
#include <stdio.h>

struct arena_block {
    struct arena_block *older;
    size_t used, size;
    _Alignas(max_align_t) char bytes[];
};

enum {
    ALIGNMENT = _Alignof(max_align_t),
    BLOCK_BYTES = 32 << 10,
};

static struct arena_block *
add_block(struct arena *arena, size_t wanted)
{
    size_t size = wanted > BLOCK_BYTES ? wanted : BLOCK_BYTES;
    struct arena_block *block = xcalloc(1, sizeof(*block) + size);

    block->older = arena->newest;
    block->size = size;
    arena->newest = block;
    return block;
}

void *
arena_alloc(struct arena *arena, size_t count, size_t size)
{
    struct arena_block *block = arena->newest;
    size_t wanted;

    if (__builtin_mul_overflow(count, size, &wanted) || wanted > SIZE_MAX - KIB(64))
        abort();
    wanted = (wanted + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!block || block->size - block->used < wanted)
        block = add_block(arena, wanted);
    void *memory = block->bytes + block->used;
    block->used += wanted;
    return memory;
}

char *
arena_text(struct arena *arena, const char *text, size_t len)
{
    char *copy = arena_alloc(arena, len + 1, 1);

    memcpy(copy, text, len);
    return copy;
}

char *
arena_printf(struct arena *arena, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    AUTO(mem) char *text = xvasprintf(fmt, args);
    va_end(args);
    return arena_text(arena, text, strlen(text));
}

void
arena_release(struct arena *arena)
{
    for (struct arena_block *block = TAKE(arena->newest); block;) {
        struct arena_block *older = block->older;

        free(block);
        block = older;
    }
}
