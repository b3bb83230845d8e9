/*
 * repair: what the planner does about a cell that has failed.
 *
 * The worker says what failed and where (sandbox/worker/cellpod/failures.py); a row of
 * repair_rules.c makes a repair of it, or a sentence that says why there is none. All
 * that comes from the worker is hostile: names pass through the quoting functions, and
 * places are checked. Pure.
 */
#pragma once

#include <jansson.h>

#include "common/base.h"

/* Either code or a refusal; owned. */
struct repair {
    char *code, *said; /* the whole cell, and what was wrong with it */
    char *refusal;
};

/* `failure`: as the worker described it. */
void repair_make(struct repair *out, const json_t *failure);
void repair_release(struct repair *repair);

/* The code of the failed cell; NULL when the description has none. */
const char *repair_code(const json_t *failure);

static inline void
auto_repair(struct repair *repair)
{
    repair_release(repair);
}
