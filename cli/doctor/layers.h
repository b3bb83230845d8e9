/*
 * layers: those of isolation in words, for `cellpod doctor` and its --walls.
 */
#pragma once

#include "sandbox/isolate/isolate.h"

struct layer {
    const char *name;
    bool waivable;
    const char *gives; /* what stands when it does */
    const char *takes; /* what it takes away from a cell */
};

extern const struct layer layers[ISOLATE_LAYER_COUNT];
