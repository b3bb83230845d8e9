/* emitter: what the parts of emit share; the header of each emit_*.c. */
#pragma once

#include "bridge/planner/emit/emit.h"

enum {
    CATEGORIES_MAX = 30, /* names on an axis; the rest is "other" */
    SERIES_MAX = 12,     /* colours that can be told apart */
    POINTS_MAX = 20000,  /* of a scatter plot */
    CROWDED = 6,         /* ticks that are turned */
};

struct emitter {
    const struct plan *plan;
    const struct frame *frame;
    const struct lexicon *lexicon;
    struct arena *arena;
    struct python python;
    const char *source; /* the variable that holds the rows */
    const char *whole;  /* … and all of them, before conditions */
    const char *
        *label; /* by column: its label in `source`, when it had to be renamed */
};

const struct column *emit_about(const struct emitter *e, int column);
/* A label that Python's `data["..."]` finds; others are taken by their place. */
bool emit_has_plain_label(const struct emitter *e, int column);
/* Dates also of a column of text. */
const char *emit_dates(struct emitter *e, int column);
/* `data["Sales"]` */
const char *emit_column(struct emitter *e, int column);
/* The same as what it is to be grouped or drawn by: dates are dates, numbers numbers.
 */
const char *emit_key(struct emitter *e, int column, bool is_x);
const char *emit_measure(struct emitter *e, int column);
/* The same of any measure, as it is reduced. */
const char *emit_number(struct emitter *e, const struct measure *measure);
const char *emit_label(struct emitter *e, int column);
/* A sentence of the lexicon, filled. */
const char *emit_say(struct emitter *e, const char *key, const char *a, const char *b);
const char *emit_measure_name(struct emitter *e);

void emit_load(struct emitter *e);     /* imports, the rows, the filters */
void emit_result(struct emitter *e);   /* `result`: one number for each group */
void emit_measures(struct emitter *e); /* `result`: a column for each measure */
/* The plan's measures: its y is the first, its `also` are those from 1 on. */
struct measure emit_measure_at(const struct plan *plan, unsigned at);
const char *emit_measure_title(struct emitter *e, unsigned at);
bool emit_many(const struct emitter *e, int column, int most);

/* Text of numbers, all of them: it is put in their order. */
bool emit_counts_up(const struct emitter *e, int column);
void emit_days(struct emitter *e); /* `days`, from Monday on */

/* Of charts. */
void emit_turn(struct emitter *e, int column); /* many names stand upright */
void emit_labels(struct emitter *e, const char *y);
void emit_legend(struct emitter *e);
const char *emit_title_label(struct emitter *e);
const char *emit_colour(struct emitter *e); /* ", color=…", or nothing */
const char *emit_measure_label(struct emitter *e);
const char *emit_axis_values(struct emitter *e, int column);
void emit_histogram(struct emitter *e);
void emit_boxes(struct emitter *e);

void emit_chart(struct emitter *e);
void emit_other(struct emitter *e); /* values, tables, rows */
