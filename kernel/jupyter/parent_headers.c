#include "kernel/jupyter/parent_headers.h"

#include <stdio.h>

struct parent {
    unsigned long long number;
    struct slice header; /* owned */
};

/* Numbers count up, so a number's place is known: the ring needs no search. */
struct ring {
    char letter; /* that ids of this ring start with */
    unsigned long long next;
    size_t size;
    struct parent *slots;
};

struct parent_headers {
    struct ring cells, others;
};

static struct ring
new_ring(char letter, size_t size)
{
    return (struct ring){letter, 1, size, xcalloc(size, sizeof(struct parent))};
}

static void
free_ring(struct ring *ring)
{
    for (size_t i = 0; i < ring->size; i++)
        free((char *)ring->slots[i].header.data);
    free(ring->slots);
}

struct parent_headers *
parent_headers_new(void)
{
    struct parent_headers *parents = xcalloc(1, sizeof(*parents));

    parents->cells = new_ring('x', 4096);
    parents->others = new_ring('o', 1024);
    return parents;
}

void
parent_headers_free(struct parent_headers *parents)
{
    if (!parents)
        return;
    free_ring(&parents->cells);
    free_ring(&parents->others);
    free(parents);
}

void
parent_headers_start(struct parent_headers *parents, unsigned takeover)
{
    const unsigned long long first = ((unsigned long long)takeover << 40) + 1;

    if (parents->cells.next < first)
        parents->cells.next = parents->others.next = first;
}

void
parent_headers_add(struct parent_headers *parents, bool is_cell, struct slice header,
                   char id[PARENT_ID_SIZE])
{
    struct ring *ring = is_cell ? &parents->cells : &parents->others;
    struct parent *slot = &ring->slots[ring->next % ring->size];

    free((char *)slot->header.data);
    slot->number = ring->next;
    slot->header = (struct slice){xstrndup(header.data, header.len), header.len};
    snprintf(id, PARENT_ID_SIZE, "%c%llu", ring->letter, ring->next++);
}

struct slice
parent_headers_find(const struct parent_headers *parents, const char *id)
{
    const struct ring *ring = id[0] == 'x' ? &parents->cells : &parents->others;
    char *end;

    if (id[0] != ring->letter || id[1] < '1' || id[1] > '9')
        return SLICE("");
    unsigned long long number = strtoull(id + 1, &end, 10);
    const struct parent *slot = &ring->slots[number % ring->size];
    return *end == '\0' && slot->number == number ? slot->header : SLICE("");
}
