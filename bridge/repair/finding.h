/*
 * finding: what the worker found out about a failure, checked.
 */
#pragma once

#include <jansson.h>

#include "bridge/planner/words/arena.h"

enum {
    FINDING_SPOTS = 50,
    FINDING_NEAR = 3,
};

struct finding {
    const char *code, *ename, *kind; /* "" where it has none */
    const char *found, *where;
    const char *near[FINDING_NEAR];
    size_t nears;
    bool is_clear;   /* the first of them was meant */
    bool has_pandas; /* as `pd` */
    bool is_whole;   /* the spot is the frame that the column is of */
    bool is_day_first, is_mixed, is_marked;
    long long have, want, lost, of;
    struct slice spot[FINDING_SPOTS]; /* of the code, in order, none in another */
    size_t spots;
};

/* False when the code or a place in it is not what it should be. Everything is
 * borrowed of `failure`. */
bool finding_read(struct finding *out, const json_t *failure);
