/*
 * parent_headers: the headers of earlier requests, by their ids in the sandbox.
 *
 * A thread or a widget may send output for a cell long after the cell has ended. The
 * newest 4,096 cells are remembered, and the newest 1,024 of all other requests, so
 * that a slider's many messages do not push out the cell that made it.
 */
#pragma once

#include "common/limits.h"

struct parent_headers;

#define PARENT_ID_SIZE 32

struct parent_headers *parent_headers_new(void);
void parent_headers_free(struct parent_headers *parents);

/* Ids from here on are others than those of earlier kernels of the same sandbox:
 * takeover counts them, the first is 0. */
void parent_headers_start(struct parent_headers *parents, unsigned takeover);
/* A new id for this header (copied). */
void parent_headers_add(struct parent_headers *parents, bool is_cell,
                        struct slice header, char id[PARENT_ID_SIZE]);
/* Empty when the id is unknown, or no longer known. Borrowed until the next add. */
struct slice parent_headers_find(const struct parent_headers *parents, const char *id);

static inline void
auto_parents(struct parent_headers **parents)
{
    parent_headers_free(*parents);
}
