/*
 * plan: what an answer will compute and draw.
 *
 * Columns are indices into one frame; -1 is none. docs/planner.md has the JSON.
 */
#pragma once

#include "bridge/planner/profile/profile.h"

enum {
    FILTERS_MAX = 16,
    OPERANDS_MAX = 32,
    MEASURES_MAX = 5, /* beside the first */
};

#define PLAN_INTENTS(X)           \
    X(CHART, "chart")             \
    X(TABLE, "table")             \
    X(VALUE, "value")             \
    X(ROWS, "rows")               \
    X(UNIQUE, "unique")           \
    X(DESCRIBE, "describe")       \
    X(MISSING, "missing")         \
    X(CORRELATION, "correlation") \
    X(COLUMNS, "columns")

#define PLAN_MARKS(X)         \
    X(NONE, "none")           \
    X(BAR, "bar")             \
    X(LINE, "line")           \
    X(SCATTER, "scatter")     \
    X(HISTOGRAM, "histogram") \
    X(BOX, "box")             \
    X(PIE, "pie")             \
    X(HEATMAP, "heatmap")

#define PLAN_AGGREGATES(X) \
    X(NONE, "none")        \
    X(COUNT, "count")      \
    X(SUM, "sum")          \
    X(MEAN, "mean")        \
    X(MEDIAN, "median")    \
    X(MIN, "min")          \
    X(MAX, "max")          \
    X(STD, "std")          \
    X(DISTINCT, "distinct")

#define PLAN_GRAINS(X)    \
    X(NONE, "none")       \
    X(YEAR, "year")       \
    X(QUARTER, "quarter") \
    X(MONTH, "month")     \
    X(WEEK, "week")       \
    X(DAY, "day")         \
    X(WEEKDAY, "weekday") \
    X(HOUR, "hour")

#define PLAN_OPERATORS(X)           \
    X(EQ, "==")                     \
    X(NE, "!=")                     \
    X(GT, ">")                      \
    X(GE, ">=")                     \
    X(LT, "<")                      \
    X(LE, "<=")                     \
    X(BETWEEN, "between")           \
    X(IN, "in")                     \
    X(NOT_IN, "not in")             \
    X(CONTAINS, "contains")         \
    X(NOT_CONTAINS, "not contains") \
    X(STARTS, "starts with")        \
    X(ENDS, "ends with")            \
    X(NULL, "is null")              \
    X(NOT_NULL, "is not null")

#define PLAN_LAYOUTS(X)   \
    X(NONE, "none")       \
    X(STACKED, "stacked") \
    X(GROUPED, "grouped") \
    X(FACETED, "faceted")

#define PLAN_AXES(X) \
    X(NONE, "none")  \
    X(X, "x")        \
    X(Y, "y")        \
    X(COLUMN, "column")

enum plan_intent {
#define X(name, text) INTENT_##name,
    PLAN_INTENTS(X)
#undef X
};
enum plan_mark {
#define X(name, text) MARK_##name,
    PLAN_MARKS(X)
#undef X
};
enum plan_aggregate {
#define X(name, text) AGG_##name,
    PLAN_AGGREGATES(X)
#undef X
};
enum plan_grain {
#define X(name, text) GRAIN_##name,
    PLAN_GRAINS(X)
#undef X
};
enum plan_operator {
#define X(name, text) OP_##name,
    PLAN_OPERATORS(X)
#undef X
};
enum plan_layout {
#define X(name, text) LAYOUT_##name,
    PLAN_LAYOUTS(X)
#undef X
};
enum plan_axis {
#define X(name, text) AXIS_##name,
    PLAN_AXES(X)
#undef X
};

struct operand {
    bool is_number;
    double number;
    const char *text; /* when no number; dates too */
};

struct filter {
    int column;
    enum plan_operator op;
    struct operand operand[OPERANDS_MAX];
    unsigned operands;
    bool is_or; /* joined to the one before by "or" */
};

/* A number of each group: column -1 counts rows. */
struct measure {
    int column;
    enum plan_aggregate aggregate;
};

/* How an answer is drawn, whatever it shows. */
struct style {
    bool is_horizontal, is_log, has_labels;
    const char *colour; /* matplotlib's word; NULL: the palette's first */
    const char *title;  /* of the asker's choice, or NULL */
};

struct plan {
    enum plan_intent intent;
    enum plan_mark mark;
    enum plan_layout layout;
    int x, y, series;
    enum plan_aggregate aggregate;
    enum plan_grain grain; /* of x when it is a time */
    double bin_width;      /* of x when it is a quantity; 0: chosen */
    int bins;              /* 0: chosen */
    struct filter filter[FILTERS_MAX];
    unsigned filters;
    enum plan_axis sort;
    int sort_column;
    bool is_descending;
    int limit; /* 0: none */
    bool is_share;
    struct measure also[MEASURES_MAX]; /* further numbers of the same groups */
    unsigned alsos;
    bool is_ratio; /* the sum of y is divided by `per` */
    struct measure per;
    struct style style;
};

#define PLAN_INIT                                          \
    {                                                      \
        .x = -1, .y = -1, .series = -1, .sort_column = -1, \
    }

const char *plan_mark_name(enum plan_mark mark);
const char *plan_aggregate_name(enum plan_aggregate aggregate);
const char *plan_grain_name(enum plan_grain grain);
const char *plan_operator_name(enum plan_operator op);

/* New reference; null where nothing is said. */
json_t *plan_style_to_json(const struct style *style);
/* Whatever it is, it does no harm: texts are borrowed from it. */
struct style plan_style_from_json(json_t *json);

/* New reference. Columns appear by their names. */
json_t *plan_to_json(const struct plan *plan, const struct frame *frame);

/* A plan made before, maybe of other data: columns that `frame` lacks are an error. */
int plan_from_json(struct plan *plan, const struct frame *frame, json_t *json,
                   struct error *err) MUST_CHECK;
