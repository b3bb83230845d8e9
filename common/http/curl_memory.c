#include "common/http/curl_memory.h"

#include <sys/mman.h>

enum {
    LARGE = 16 << 10
};

/* In front of each piece; as long as what malloc aligns to. */
struct piece {
    size_t size; /* without this head */
    bool is_mapped;
    _Alignas(16) char bytes[];
};

static struct piece *
piece_of(void *memory)
{
    return (struct piece *)((char *)memory - offsetof(struct piece, bytes));
}

static struct piece *
map_piece(size_t whole)
{
    void *pages =
        mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED)
        return NULL;
    madvise(pages, whole, MADV_DONTDUMP);
    return pages;
}

void *
curl_memory_take(size_t size)
{
    bool is_large = size >= LARGE;
    size_t whole = sizeof(struct piece) + size;

    if (whole < size)
        return NULL;
    struct piece *piece = is_large ? map_piece(whole) : malloc(whole);
    if (!piece)
        return NULL;
    piece->size = size;
    piece->is_mapped = is_large;
    return piece->bytes;
}

/* Pages that are given back to Linux need not be wiped: nobody can read them. */
void
curl_memory_give_up(void *memory)
{
    if (!memory)
        return;
    struct piece *piece = piece_of(memory);
    size_t whole = sizeof(*piece) + piece->size;

    if (piece->is_mapped) {
        munmap(piece, whole);
        return;
    }
    explicit_bzero(piece, whole);
    free(piece);
}

void *
curl_memory_resize(void *memory, size_t size)
{
    void *moved = curl_memory_take(size);

    if (!moved || !memory)
        return moved;
    size_t old = piece_of(memory)->size;
    memcpy(moved, memory, old < size ? old : size);
    curl_memory_give_up(memory);
    return moved;
}

void *
curl_memory_take_zeros(size_t count, size_t size)
{
    size_t whole;

    if (__builtin_mul_overflow(count, size, &whole))
        return NULL;
    void *memory = curl_memory_take(whole);
    if (memory)
        memset(memory, 0, whole);
    return memory;
}

char *
curl_memory_copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = curl_memory_take(size);

    if (copy)
        memcpy(copy, text, size);
    return copy;
}
