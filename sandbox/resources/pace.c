#include "sandbox/resources/pace.h"

#include <sched.h>

#include "sandbox/resources/memory.h"

enum {
    MOST_PER_MS = 4 << 20,  /* what a program can touch: some 4 GB/s a processor */
    LEAST_PER_MS = 1 << 20, /* what we are prepared for when nothing grows */
    MIN_TICK_MS = 5,
    MAX_TICK_MS = 1000,
    IDLE_TICK_MS = 250,
    MOST_STOOD_MS = 50,
};

unsigned
pace_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : CPU_COUNT(&set);

    return count > 0 ? (unsigned)count : 1;
}

/* What is to be expected in a millisecond: four times what was seen. */
static uint64_t
growth(const struct pace *p)
{
    return 4 * p->grown / (uint64_t)(p->passed_ms > 0 ? p->passed_ms : 1);
}

/* Hundreds of processes, which take long to look at, and would take all that is left in
 * reserve before the next look. */
static bool
is_stampede(const struct pace *p, int64_t ms)
{
    return !p->is_told && p->stood_ms > MOST_STOOD_MS &&
           growth(p) / 4 * (uint64_t)ms > p->limit / 8;
}

/* Until more is in use than the limit and an eighth. */
static int64_t
past_the_limit_ms(const struct pace *p, uint64_t per_ms)
{
    const uint64_t end = p->limit + p->limit / 8;

    if (!per_ms)
        return MAX_TICK_MS;
    return end > p->used ? (int64_t)((end - p->used) / per_ms) : 0;
}

/* Who was stopped is to run for as long: else a cell that was told would not get to its
 * end, and one that comes next would be told of what the last one has left. */
static int64_t
least_ms(const struct pace *p)
{
    const int64_t least = p->is_busy ? MIN_TICK_MS : IDLE_TICK_MS;
    const int64_t stood = p->stood_ms < MOST_STOOD_MS ? p->stood_ms : MOST_STOOD_MS;

    if (stood <= least || (p->is_told && p->used >= p->limit))
        return least;
    if (is_stampede(p, stood))
        return stood / 4;
    const int64_t most = p->is_told ? past_the_limit_ms(p, growth(p) / 4) : stood;
    return most < least ? least : most < stood ? most : stood;
}

/* However little was taken until now: a cell may begin to at any time. */
static int64_t
most_ms(const struct pace *p, uint64_t most_per_ms)
{
    const int64_t most = p->is_told ? MEMORY_SETTLE_MS / 4 : MAX_TICK_MS;
    const int64_t past = p->is_busy ? past_the_limit_ms(p, most_per_ms) : most;

    return past < most ? past : most;
}

int64_t
pace_next_ms(const struct pace *p)
{
    const uint64_t left = p->end > p->used ? p->end - p->used : 0;
    const uint64_t most_per_ms = (uint64_t)MOST_PER_MS * p->processors;
    uint64_t per_ms = growth(p);

    if (per_ms < LEAST_PER_MS)
        per_ms = LEAST_PER_MS;
    if (per_ms > most_per_ms || left > p->limit / 4) /* far away: be sure */
        per_ms = most_per_ms;
    const int64_t ms = (int64_t)(left / per_ms), least = least_ms(p);
    const int64_t most = most_ms(p, most_per_ms);
    return ms < least || most < least ? least : ms > most ? most : ms;
}
