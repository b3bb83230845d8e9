/*
 * magic: what stands in a cell that begins with %%ask, %ask or %fix.
 *
 *     %%ask [flags] [question]          %ask [flags] question          %fix [flags]
 * [hint] question, on as many lines as it takes
 *
 * Flags come first; "--" ends them. Pure.
 */
#pragma once

#include <jansson.h>

#include "common/error.h"

struct magic {
    char *question; /* owned, trimmed; "" when there is none */
    char *provider, *model, *language;
    int retries, level; /* -1: not given */
    bool fix;           /* %fix: the question is a hint, if anything */
    bool code_only, no_run, show, explain, no_cache, models, help;
};

/* Is this cell ours? Blank lines may stand before it. */
bool magic_is_ours(const char *cell);

int magic_parse(struct magic *out, const char *cell, struct error *err) MUST_CHECK;
void magic_release(struct magic *magic);

/* Which flag or value can stand at the cursor (bytes into the cell): new array of
 * strings; *start is where the word begins. NULL when the cursor is in the question.
 * `providers` may be NULL. */
json_t *magic_complete(const char *cell, size_t cursor, const json_t *providers,
                       size_t *start);

/* The text of %ask?: owned. */
char *magic_help(void);

static inline void
auto_magic(struct magic *magic)
{
    magic_release(magic);
}
