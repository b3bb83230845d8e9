/*
 * idleness: a kernel that nobody has used for a while gives up its sandbox's pod, where
 * the place can keep what it holds (place_pause). The next cell gets it back.
 */
#pragma once

#include "common/timer.h"

struct kernel;

struct idleness {
    struct timer timer;
};

/* A request has ended: the time begins anew. */
void idleness_begin(struct kernel *kernel);
void idleness_end(struct kernel *kernel); /* with the process */
