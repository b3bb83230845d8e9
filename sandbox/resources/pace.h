/*
 * pace: when a meter looks again: the sooner, the nearer the next mark is and the
 * faster memory grows.
 */
#pragma once

#include "common/base.h"

struct pace {
    uint64_t used;  /* at the last look; bytes */
    uint64_t grown; /* by so much since the one before */
    uint64_t end;   /* where something is to be done */
    uint64_t limit;
    int64_t passed_ms;   /* that it ran for between these looks */
    int64_t stood_ms;    /* how long the sandbox stood still for the last one; 0: not */
    unsigned processors; /* that can touch memory at once */
    bool is_busy;        /* a request runs */
    bool is_told;        /* the cell was told: `end` is the limit */
};

/* Milliseconds from now. */
int64_t pace_next_ms(const struct pace *pace);

/* Of this machine, that this process may use. */
unsigned pace_processors(void);
