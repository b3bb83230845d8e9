/*
 * parents: the headers of earlier requests, by the ids that the sandbox knows them by.
 *
 * A thread or a widget may speak for a cell long after that has ended. The newest 4,096
 * cells are remembered, and the newest 1,024 of all other requests, so that a slider's
 * many messages do not push out the cell that made it.
 */
#pragma once

#include "common/limits.h"

struct parents;

#define PARENT_ID_SIZE 32

struct parents *parents_new(void);
void parents_free(struct parents *parents);

/* A new id for this header (copied). */
void parents_add(struct parents *parents, bool is_cell, struct slice header,
                 char id[PARENT_ID_SIZE]);
/* Empty when nobody is known by that id, or no longer. Borrowed until the next add. */
struct slice parents_find(const struct parents *parents, const char *id);

static inline void
auto_parents(struct parents **parents)
{
    parents_free(*parents);
}
