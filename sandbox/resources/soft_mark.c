#include "sandbox/resources/soft_mark.h"

enum {
    MIN_RESERVE = 16 << 20,
    MAX_RESERVE = 1 << 30,
};

uint64_t
soft_mark_first(uint64_t limit)
{
    uint64_t reserve = limit / 8;

    if (reserve < MIN_RESERVE)
        reserve = MIN_RESERVE < limit / 4 ? MIN_RESERVE : limit / 4;
    return limit - (reserve < MAX_RESERVE ? reserve : MAX_RESERVE);
}

uint64_t
soft_mark_next(uint64_t used, uint64_t limit, bool is_metered)
{
    const uint64_t end = is_metered ? limit + limit / 4 : limit;
    uint64_t middle = used + (limit > used ? limit - used : 0) / 2;

    if (is_metered && middle < used + SOFT_MARK_TOO_NEAR)
        middle = used + SOFT_MARK_TOO_NEAR;
    return end > used && end - used >= SOFT_MARK_TOO_NEAR ? middle : 0;
}
