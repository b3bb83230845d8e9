/*
 * query: what a question asks for, in parts that compose freely.
 *
 * tests choose rows, keys group them, amounts reduce each group to numbers; having,
 * along, share and rank work on the groups in this order. A parser fills each part
 * (parse/), a program is written from it (program/). All of it lives in an arena.
 */
#pragma once

#include "bridge/planner/query/plan.h"

enum {
    TESTS_MAX = 12,
    KEYS_MAX = 4,
    BANDS_MAX = 8,
    AMOUNTS_MAX = 6,
};

/* Periods of a date that follow each other, and parts that come again. */
#define QUERY_PARTS(X)                 \
    X(NONE, "none")                    \
    X(YEAR, "year")                    \
    X(QUARTER, "quarter")              \
    X(MONTH, "month")                  \
    X(WEEK, "week")                    \
    X(DAY, "day")                      \
    X(HOUR, "hour")                    \
    X(WEEKDAY, "weekday")              \
    X(WEEKEND, "weekend")              \
    X(MONTH_NAME, "month of year")     \
    X(QUARTER_NAME, "quarter of year") \
    X(SEASON, "season")                \
    X(MINUTE, "minute") /* of durations alone */

enum query_part {
#define X(name, text) PART_##name,
    QUERY_PARTS(X)
#undef X
};

enum value_kind {
    VALUE_COLUMN,
    VALUE_NUMBER,
    VALUE_ARITHMETIC, /* left op right */
    VALUE_DURATION,   /* from left to right, in `unit` */
    VALUE_GAP,        /* since the row before of the same `right`, by the date `left` */
    VALUE_PART,       /* `part` of the date left */
    VALUE_BAND,       /* left in steps of `number`; 0: as many as suit */
    VALUE_QUANTILE,   /* left in `count` groups of equal size */
    VALUE_TEST,       /* whether a row passes */
    VALUE_LEVEL, /* the mean of all rows' left, or of those that have the same `right`;
                    the median or, of dates, the first, as `count` says */
};

enum { /* `count` of a VALUE_LEVEL; else it is a mean */
    LEVEL_FIRST = 1,
    LEVEL_MEDIAN = 50,
};

/* What a row has: a cell, or what is worked out from cells. */
/* Bands as a question lists them. */
struct bands {
    unsigned count;
    double edge[BANDS_MAX + 1]; /* one more than there are bands; maybe infinite */
    const char *label[BANDS_MAX];
    bool is_right; /* an edge belongs to the band below */
};

struct value {
    enum value_kind kind;
    int column;
    double number;
    char op; /* + - * / */
    const struct value *left, *right;
    enum query_part part;
    int count;
    const struct test *test; /* `tests` of them */
    unsigned tests;
    const char *name;     /* as the question has it; NULL: from its parts */
    const char *yes, *no; /* what rows that pass a test and the others are called, or
                             NULL: by its name */
    const struct bands *bands; /* of VALUE_BAND; NULL: of one width, or so many */
    bool is_scaled;            /* left in another unit: it is reduced as left is */
    bool is_distance;          /* of a difference: without its sign */
    bool is_weighing;          /* of a product: percentages are not taken as parts */
};

/* A condition. Of those joined, "and" binds tighter than "or". */
struct test {
    const struct value *of;
    enum plan_operator op;
    struct operand operand[OPERANDS_MAX];
    unsigned operands;
    const struct value *than; /* instead of operands: another column */
    int last;                 /* the last n `unit` of the data; 0: no such test */
    enum query_part unit;
    bool is_or;  /* joined to the one before by "or" */
    bool is_not; /* the opposite, missing cells apart */
};

enum query_aggregate {
    REDUCE_NONE, /* not said */
    REDUCE_COUNT,
    REDUCE_SUM,
    REDUCE_MEAN,
    REDUCE_MEDIAN,
    REDUCE_QUANTILE,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_STD,
    REDUCE_DISTINCT,
    REDUCE_RATE, /* share of rows that pass `test`, in percent */
    REDUCE_CORRELATION,
    REDUCE_RANGE,
    REDUCE_FIRST,
    REDUCE_LAST,
    REDUCE_TOTAL,
};

/* One number of each group. */
struct amount {
    enum query_aggregate reduce;
    const struct value *of;   /* NULL: rows */
    const struct value *with; /* of a correlation */
    double quantile;
    const struct test *test; /* of a rate */
    unsigned tests;
    const struct amount *per;     /* it is divided by this one */
    const struct value *weighted; /* its mean, by the weights in `per`; or NULL */
    double per_count;             /* by so many of it: "per 1000"; 0: by one */
    bool is_percent;              /* of what it is divided by; per_count is 100 then */
    const struct value *each; /* it is that of the sums (else the mean of the numbers)
                               * of this key's groups */
    bool is_implied;          /* the question names no aggregate */
};

enum query_along {
    ALONG_NONE,
    ALONG_CUMULATIVE,
    ALONG_CHANGE,
    ALONG_PERCENT,
    ALONG_ROLLING, /* the mean over a window */
    ALONG_ROLLING_SUM,
    ALONG_YEAR_BEFORE, /* percent change against the same period a year before */
    ALONG_TOTAL,
};

/* Which way a number went from one of two periods to the other. */
enum query_move {
    MOVE_NONE, /* it is not asked */
    MOVE_UP,
    MOVE_DOWN,
    MOVE_EITHER,
};

enum query_share {
    SHARE_NONE,
    SHARE_TOTAL,  /* percent of all groups */
    SHARE_WITHIN, /* percent within each first key */
    SHARE_PART,   /* a number: percent that the rows passing `part` have */
    SHARE_GROUPS, /* a number: percent of having's groups that are large enough */
    SHARE_TOP,    /* a number: percent that the largest have, of rows or of groups */
    SHARE_COUNT,
};

enum query_shape {
    SHAPE_NUMBER,
    SHAPE_TABLE,
    SHAPE_CHART,
    SHAPE_ROWS,
    SHAPE_OUTLIERS,
};

struct query {
    const struct frame *frame;
    struct test test[TESTS_MAX];
    unsigned tests;
    const struct value *key[KEYS_MAX];
    unsigned keys;
    struct amount amount[AMOUNTS_MAX];
    unsigned amounts;
    struct {
        bool is_there;
        struct amount amount;
        enum plan_operator op;
        double number, to;
        bool is_overall;        /* the bound is the same number of all rows */
        const struct value *of; /* whose groups; NULL: the query's keys */
    } having;
    enum query_along along;
    int window;
    enum query_share share;
    struct {
        const struct value *of; /* what groups; NULL: rows */
        double count;
        bool is_percent;         /* of all, and not so many */
    } top;                       /* of SHARE_TOP */
    struct test part[TESTS_MAX]; /* of SHARE_PART */
    unsigned parts;
    struct {
        bool is_there, is_low, is_within; /* within: of each key but the last */
        int count;
        bool is_percent;        /* of all there are, and not so many */
        bool is_nth;            /* no more than the last of so many */
        const struct value *by; /* of rows; NULL: the first amount */
    } rank;
    enum query_move move; /* of the first key's two groups, which are periods */
    bool is_only_moved;   /* no other groups than those that moved so */
    bool is_compared;     /* two groups side by side, with their difference */
    bool is_difference;   /* the difference is what was asked for */
    bool is_relative;     /* the difference is in percent of the first */
    bool is_sorted, sorts_down, sorts_by_key;
    enum query_shape shape;
    enum plan_mark mark;
    enum plan_layout layout;
    bool is_table_asked;
    bool counts_outliers; /* how many there are, and not which */
    bool has_sides;       /* of a table: the first key down, the second across */
    struct style style;
};

const char *query_part_name(enum query_part part);
const char *query_reduce_name(enum query_aggregate reduce);
/* What a value, an amount, a query is called. */
const char *query_value_name(struct arena *arena, const struct frame *frame,
                             const struct value *value);
/* Whether it is one of sums: each day's, of "median daily revenue". */
bool query_adds_up_each(const struct amount *amount);
const char *query_amount_name(struct arena *arena, const struct query *query,
                              const struct amount *amount);
const char *query_test_name(struct arena *arena, const struct frame *frame,
                            const struct test *test);
char *query_title(struct arena *arena, const struct query *query);
/* "revenue in USD" for "revenue_usd". */
char *query_words(struct arena *arena, const char *name);
/* The query whose names, title and all, are in such words: for sentences and labels. */
const struct query *query_spoken(struct arena *arena, const struct query *query);
bool query_value_is_same(const struct value *a, const struct value *b);
bool query_value_is_time(const struct frame *frame,
                         const struct value *value); /* periods */

/* Whether they have the same keys, amounts and conditions, and as many of them. */
bool query_has_same_groups(const struct query *a, const struct query *b);

/* New reference: docs/planner.md. */
/* Whether it says more than the fields of a plan. */
bool query_is_beyond(const struct query *query);
json_t *query_to_json(struct arena *arena, const struct query *query);
