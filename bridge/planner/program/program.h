/*
 * program: a query as pandas, the answer first, then its chart or table.
 *
 * Each operator writes its lines in a file of its own; program.c calls them in order.
 * `result` is what they hand on: a number for each group, or a table of several.
 */
#pragma once

#include "bridge/planner/query/query.h"
#include "bridge/planner/words/python.h"

struct program {
    const struct query *query, *spoken; /* spoken: with names in words */
    const struct frame *frame;
    const struct lexicon *lexicon;
    struct arena *arena;
    struct python python;
    const char *rows;          /* the expression that holds the rows */
    const char *all_rows;      /* the same of the whole table */
    const char *key[KEYS_MAX]; /* what groupby() is given, once keys are written */
    bool is_wide;              /* the last key stands in columns */
};

/* The caller's to free. */
char *program_write(const struct query *query, const struct profile *profile,
                    const struct lexicon *lexicon, struct arena *arena);

/* --- expressions of cells (values.c, tests.c) --- */
const char *program_cells(struct program *p, int column);
const char *program_number(struct program *p, const struct value *value);
const char *program_date(struct program *p, const struct value *value);
/* As a group is called by it. */
const char *program_key(struct program *p, const struct value *value);
/* A label that groupby() and nlargest() find, or NULL. */
const char *program_label(struct program *p, const struct value *value);
bool program_is_number(const struct program *p, const struct value *value);
bool program_is_flag(const struct column *column);
const char *program_flag(struct program *p, int column);
const char *program_mask(struct program *p, const struct test *test, unsigned tests);

/* --- lines (one operator each) --- */
void program_keys(struct program *p);
const char *program_reduced(struct program *p, const struct amount *amount);
/* The condition that `having` makes of `cells`, as Python. */
const char *program_bound(struct program *p, const char *cells);
void program_groups(struct program *p);
void program_shares(struct program *p); /* of SHARE_PART, SHARE_GROUPS and SHARE_TOP */
void program_having(struct program *p);
void program_along(struct program *p);
void program_moves(struct program *p); /* of each group, from period to period */
void program_share(struct program *p);
/* How many are the top, or "max(1, round(len(ALL) * 5 / 100))". */
const char *program_count(struct program *p, const char *all);
/* ".iloc[1:2]" where only the last of so many is asked for: "the second most". */
const char *program_nth(const struct program *p);
/* A list of what a part of a date is called, in its order; NULL: it has none. */
const char *program_order_of(const struct value *key);
void program_rank(struct program *p);
void program_order(struct program *p);
void program_wide(struct program *p);
void program_number_answer(struct program *p);
void program_rows(struct program *p);
void program_outliers(struct program *p);
void program_sentence(struct program *p);
void program_chart(struct program *p);
void program_points(struct program *p); /* of a correlation */
void program_spread(struct program *p); /* a histogram, or boxes */

const char *program_text(struct program *p, const char *text);
/* A sentence of the lexicon; `about` may be NULL. */
const char *program_say(struct program *p, const char *key, const char *about);
const char *program_amount_name(struct program *p, unsigned at);
const char *program_amount_words(struct program *p, unsigned at); /* for people */
/* --- words and numbers beside a picture (labels.c) --- */
const char *program_title(struct program *p);
const char *program_label_of(struct program *p, const char *text);
const char *program_key_label(struct program *p, unsigned at);
const char *program_measure_label(struct program *p);
/* "${x:,.0f}" of a field called `name`, for an axis or for labels of bars. */
const char *program_number_format(struct program *p, const char *name, bool is_axis);
bool program_has_unit(const struct program *p);

/* How numbers of an amount are printed: ",.2f". */
const char *program_format(struct program *p, const struct amount *amount);
