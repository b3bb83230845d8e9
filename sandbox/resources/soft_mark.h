/*
 * soft_mark: how much may be in use before a cell is told. In bytes.
 */
#pragma once

#include "common/base.h"

enum {
    SOFT_MARK_TOO_NEAR = 8 << 20 /* between use and limit: too little to tell again */
};

/* At first: an eighth less than the limit, from 16 MiB (of small ones a quarter) to
 * 1 GiB. */
uint64_t soft_mark_first(uint64_t limit);

/* Half-way between what is in use and the limit; 0: too near to it. A meter that gets
 * no processor looks late, a tenth of a second on a busy machine, and finds more in use
 * than the limit: that was not disobedience, so the next cell is told too, within
 * reason. */
uint64_t soft_mark_next(uint64_t used, uint64_t limit, bool is_metered);
