/*
 * profile: what data there is, as the sandbox described it.
 *
 * docs/planner.md has the JSON. Nothing in it is trusted: names and values are text
 * that is compared and quoted, missing facts are unknown, and limits hold.
 */
#pragma once

#include <jansson.h>

#include "bridge/planner/words/lexicon.h"

enum {
    PROFILE_FRAMES_MAX = 64,
    PROFILE_COLUMNS_MAX = 20000, /* of all frames together */
    COLUMN_WORDS_MAX = 8,        /* of a name that are matched */
    COLUMN_FORMS_MAX = 4,
    UNIT_GROUPS_MAX = 6,
};

enum column_kind {
    COLUMN_NUMBER,
    COLUMN_TEXT,
    COLUMN_DATE,
    COLUMN_BOOL,
    COLUMN_OTHER,
};

/* What a column is good for in a chart. */
enum column_role {
    ROLE_QUANTITY, /* to be aggregated, or put on a continuous axis */
    ROLE_DISCRETE, /* a number of few values: either */
    ROLE_NOMINAL,
    ROLE_TIME,
    ROLE_KEY, /* tells rows apart */
};

/* One word of a name, or several that together have synonyms. */
struct unit {
    uint64_t stem;     /* 0 when it stands for several words */
    const char *start; /* an abbreviation: what longer words begin with; or NULL */
    const char *event; /* "arrived" of a date: an arrival; or NULL */
    const char *root;  /* "breached", which "breach" names, too; or NULL */
    bool is_whole;     /* it alone says what the name does: the rest is generic */
    bool is_in_code;   /* the digits of `no2` */
    bool is_unit;      /* what it is counted in: "km2" of `area_km2` */
    unsigned group[UNIT_GROUPS_MAX];
    unsigned groups;
    float weight;
    bool is_key;   /* "id" and its like */
    bool is_time;  /* seconds, minutes: a time */
    bool is_kind;  /* "type", "reason": what sort of them */
    bool is_joint; /* names it where no space is before it alone: "wait_min" */
};

struct form {
    struct unit unit[COLUMN_WORDS_MAX];
    unsigned count;
};

/* What a span of time, which pandas keeps in nanoseconds, is counted in. */
struct time_unit {
    double seconds;
    const char *said; /* a key of the lexicon */
};

struct column {
    const char *name;
    json_t *key; /* borrowed; its label in Python when that is not a string, or NULL */
    bool is_duplicate;
    enum column_kind kind;
    enum column_role role;
    bool is_nullable; /* a dtype whose missing values are not floats */
    bool may_be_category, is_zoned;
    bool is_datetime, is_timedelta; /* the dtype is one of dates, of spans, already */
    bool has_infinite;
    bool is_measured;             /* text of numbers with units: "$1,200", "12 %" */
    bool is_percent;              /* of those, parts of a hundred */
    const struct time_unit *span; /* how long something took, and counted in; or NULL */
    bool is_mixed;                /* values that differ by case or spaces alone */
    bool is_day_first;            /* dates as 31/12/2024 */
    bool takes_mixed;  /* not all as the first: format="mixed", from pandas 2 on */
    bool has_no_clock; /* dates without a time of the day */
    bool is_clock;     /* times of the day without dates */
    const char *yes;   /* of two values, the one that means yes, in lower case; NULL */
    const char *placeholder; /* what stands where its texts are not numbers; or NULL */
    const char *bound;       /* "<0.05" where its texts are numbers; or NULL */
    bool has_both_yes;       /* "Y" and "yes": the first letter tells */
    bool is_integer, is_unique, has_range, is_numeric_text;
    json_int_t nulls, unique; /* -1: unknown */
    double low, high;
    long days;                 /* that dates span; -1: unknown */
    int first_year, last_year; /* of dates; 0: unknown */
    json_t *values;            /* borrowed array or NULL */
    json_t *texts; /* borrowed: one of each way in which its text is written, or NULL */
    json_t *apart; /* borrowed: the seconds to other columns of dates, or NULL */
    struct words words;
    struct form form[COLUMN_FORMS_MAX];
    unsigned forms;
    uint64_t squash,
        bare_squash;            /* bare: without the unit at its end; 0: it has none */
    unsigned flags, last_flags; /* of all its words, of its last */
};

struct value_entry {
    uint64_t hash; /* 0: free */
    int column;
    const char *text; /* as in the data */
    int next;         /* another column's value of the same text, or -1 */
};

struct frame {
    const char *name;
    const struct lexicon *lexicon; /* in whose words it is spoken of */
    bool is_file;
    bool is_made;   /* by an earlier answer: its name may be bound again */
    bool is_spoken; /* a copy whose columns are called in words: query_spoken() */
    const char *path, *format, *sheet;
    const struct join *join; /* of two tables, and called as the first; NULL: of one */
    json_int_t rows;         /* -1: unknown */
    struct column *column;
    int columns;
    struct words words; /* of its name */
    uint64_t noun;      /* stem of what a row is, by its first column; 0: unknown */
    struct value_entry *value;
    size_t values, value_slots;
    unsigned value_words; /* the longest value, in words */
};

/* Two tables as one, where a column of the first tells the rows of the second. */
struct join {
    const struct frame *left, *right;
    int left_key, right_key; /* columns */
};

struct profile {
    struct frame frame[PROFILE_FRAMES_MAX];
    int frames, active; /* active: -1 if none was said */
    const char **taken; /* names that are the user's */
    size_t takens;
    int pandas; /* major version, 0: unknown */
};

/* `json` must outlive the profile. */
int profile_read(struct profile *profile, struct arena *arena, json_t *json,
                 const struct lexicon *lexicon, struct error *err) MUST_CHECK;

/* The left table's rows with what the right one says of each; NULL where no column of
 * the right one, with another value in each row, is one of the left's, too. It lives in
 * the arena, and both tables must outlive it. */
const struct frame *frame_join(struct arena *arena, const struct frame *left,
                               const struct frame *right);

/* Whether it is the right table's: there it has one cell, here one for each row that
 * points to it, so that no sum or mean of it means anything. */
bool frame_is_joined_column(const struct frame *frame, int column);

/* Where a program has its rows from, as an expression: a variable's name,
 * "pd.read_csv(…)", "a.merge(b, …)". */
const char *frame_source(struct arena *arena, const struct frame *frame);
bool frame_is_variable(const struct frame *frame);

/* The first value entry whose text is `squash`, or -1; `next` leads to others. */
int frame_find_value(const struct frame *frame, uint64_t squash);
int frame_find_column(const struct frame *frame, const char *name);

/* Whether a word says what the rows are: "orders" of a frame of orders. */
bool frame_is_noun(const struct frame *frame, uint64_t stem);
/* "claim_amt" and "claim_date" of claims, where "paid_amt" is another. */
bool frame_owns(const struct frame *frame, int column);

/* "support calls", "renewals": whole numbers, called by a plural. */
bool column_counts_things(const struct column *column);
/* Zeros and ones, or true and false: its mean is a share. */
bool column_is_binary(const struct column *column);
/* Whether a word of its name is one of the lexicon's list. */
bool column_is_called(const struct column *column, const struct lexicon *lexicon,
                      const char *list);
/* The same, or by what is short for it: "dly" of a delay. */
bool column_is_short_called(const struct column *column, const struct lexicon *lexicon,
                            const char *list);
/* "ask_eur": what it is called ends in one. */
/* "EUR/night": so much of each, which is no sum. */
bool column_is_per_unit(const struct column *column, const struct lexicon *lexicon);
bool column_is_in_currency(const struct column *column, const struct lexicon *lexicon);
/* How many euros one of its numbers is, of `debt_kEUR` 1000; 1 where that is not said.
 */
double column_scale(const struct column *column, const struct lexicon *lexicon);
/* The same of one word of a name; 0: it says no such thing. */
/* "k", "millions": how much one of them is; 0: the word does not scale. */
double column_scale_word(const struct lexicon *lexicon, const char *text);
double column_scale_at(const struct words *words, const struct lexicon *lexicon,
                       size_t at);
bool column_is_number(const struct column *column); /* numbers, or text of numbers */

/* The placeholder, if it says that there is nothing: "n/a", "not counted"; or NULL. */
const char *column_says_missing(const struct column *column);

/* Its cells, an expression of pandas, as an expression of dates. Of text; without the
 * format, pandas expects all texts to be written as the first is, which "28-May-2023"
 * does not tell, and drops the others. */
const char *column_dates(struct arena *arena, const struct column *column,
                         const char *cells);

/* Its cells, an expression of pandas, as an expression of numbers. Of measured ones. */
const char *column_measured(struct arena *arena, const struct column *column,
                            const char *cells);
