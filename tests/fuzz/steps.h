/*
 * steps: an input of n bytes may take STEPS_BASE + n * STEPS_PER_BYTE steps and no
 * more. A step is a basic block of the sources under test, which the sanitizer builds
 * count; so a loop that never ends, or that is quadratic, fails alike on a busy machine
 * and on an idle one. Each input begins anew.
 */
#pragma once

#include <stdint.h>

enum {
    STEPS_BASE = 3000000,
    STEPS_PER_BYTE = 1000
};

/* What the compiler calls in each basic block (-fsanitize-coverage=trace-pc). */
void __sanitizer_cov_trace_pc(void);

void steps_allow(uint64_t steps);
