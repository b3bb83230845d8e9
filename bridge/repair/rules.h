/*
 * rules: which findings can be repaired, and how. One row each.
 */
#pragma once

#include "bridge/repair/finding.h"

/* What becomes of one spot of the code. */
struct change {
    const char *before, *after; /* code around the spot, or NULL */
    const char *instead;        /* code in its place, or NULL: it stays */
};

struct rule {
    const char *kind;
    bool needs_near;   /* and that it is clear which was meant */
    bool needs_pandas; /* as `pd` */
    /* False when the finding does not allow it; NULL: only known, not repaired. */
    bool (*change)(struct arena *arena, const struct finding *finding,
                   struct slice spot, struct change *out);
    const char *said;    /* with {found}, {near}, {where}, {have}, {want} */
    const char *refusal; /* likewise */
};

const struct rule *rules_find(const char *kind);

/* The import that gives a usual name its meaning ("pd"), or NULL. */
const char *rules_import(const char *name);
