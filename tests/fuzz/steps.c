#include "tests/fuzz/steps.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t steps, allowed = UINT64_MAX;

void
__sanitizer_cov_trace_pc(void)
{
    if (++steps <= allowed)
        return;
    fprintf(stderr, "this input takes more than %llu steps\n",
            (unsigned long long)allowed);
    abort();
}

void
steps_allow(uint64_t more)
{
    steps = 0;
    allowed = more;
}
