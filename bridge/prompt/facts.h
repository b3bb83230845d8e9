/*
 * facts: the part of the data's profile that a model may see, at a level of exposure.
 *
 *     0  nothing
 *     1  names, types, counts
 *     2  ranges and statistics too, never a cell's text (the default)
 *     3  frequent values and a few rows too
 *
 * A profile comes from the sandbox, so nothing in it is trusted: it is rewritten,
 * member by member, as JSON in which no text can end its block or be invisible to a
 * reader.
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"

enum {
    LEVEL_NOTHING,
    LEVEL_NAMES,
    LEVEL_STATISTICS,
    LEVEL_VALUES,
};

/* How much of the profile to use, when a prompt must be short. */
struct facts_size {
    int rows;            /* sample rows of each table */
    bool values;         /* frequent values */
    size_t full_columns; /* columns with more than their name; of the likeliest */
};

/* One JSON object per line. */
void facts_write(struct buffer *out, const json_t *profile, int level,
                 struct facts_size size, const char *question);

/* The same as comment lines of Python, for base models. */
void facts_write_comments(struct buffer *out, const json_t *profile, int level,
                          struct facts_size size, const char *question);

/* The profile's tables (variables and files), as an array; NULL for none. */
const json_t *facts_tables(const json_t *profile);
bool facts_is_file(const json_t *table);
const char *facts_name(const json_t *table); /* variable's name or file's path */

/* "3.11.2", or NULL: of "python", "pandas", … */
const char *facts_version(const json_t *profile, const char *package);
