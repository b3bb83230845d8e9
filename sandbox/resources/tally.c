#include "sandbox/resources/tally.h"

#include <stdio.h>

/* The row of this reason, made if there is space. */
static size_t
row_of(struct tally_ends *ends, const char *reason)
{
    size_t at = 0;

    while (at < ends->used && strcmp(ends->rows[at].reason, reason) != 0)
        at++;
    if (at == TALLY_REASONS)
        return at - 1;
    if (at == ends->used) {
        const bool is_last = ++ends->used == TALLY_REASONS;
        snprintf(ends->rows[at].reason, sizeof(ends->rows[at].reason), "%s",
                 is_last ? "other" : reason);
    }
    return at;
}

void
tally_init(struct tally *tally)
{
    static const char *const workers[] = {"exit",   "interrupt", "memory", "protocol",
                                          "signal", "syscall",   "time",   "writes"};
    static const char *const sandboxes[] = {"deleted", "idle", "init", "ttl"};

    *tally = (struct tally){0};
    for (size_t i = 0; i < COUNT_OF(workers); i++)
        row_of(&tally->workers, workers[i]);
    for (size_t i = 0; i < COUNT_OF(sandboxes); i++)
        row_of(&tally->sandboxes, sandboxes[i]);
}

void
tally_end(struct tally_ends *ends, const char *reason)
{
    ends->rows[row_of(ends, reason)].count++;
}
