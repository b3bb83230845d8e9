/*
 * draft: a question on its way from a reading to a plan; the header of each step.
 *
 * The steps run in the order of draft_make: each takes the words that it understands
 * out of the reading, so that later steps see what is left.
 */
#pragma once

#include "bridge/planner/query/plan.h"
#include "bridge/planner/read/reading.h"

enum {
    MENTIONS_MAX = 24,
    NOTES_MAX = 12,
};

/* How a column came into the question. */
enum place_in_question {
    PLACE_PLAIN,
    PLACE_MEASURE, /* after an aggregate */
    PLACE_COUNTED, /* after "number of" */
    PLACE_BY,
    PLACE_EACH,
    PLACE_OVER,
    PLACE_VERSUS,
    PLACE_GROUP,
    PLACE_SERIES,
    PLACE_FACET,
    PLACE_X,
    PLACE_Y,
};

struct mention {
    const struct item *item;
    int column; /* the one that is meant, once resolved */
    float score;
    enum place_in_question place;
    enum plan_aggregate aggregate;
    bool is_counted;    /* "number of" stood before it */
    bool is_owner;      /* "of" stood before it: whose numbers they are */
    bool is_coordinate; /* joined by "and" to the mention before */
    bool is_how_many;   /* and not "number of": these are things that are told apart */
    bool is_divisor;    /* "divided by" or "per" stood before it */
    bool is_dropped;    /* says which rows, not what to show */
};

enum draft_wish {
    WISH_TIME = 1,
    WISH_DISTRIBUTION = 2,
    WISH_SHARE = 4,
    WISH_RELATION = 8,
    WISH_COMPARE = 16,
    WISH_CORRELATION = 32,
    WISH_ROWS = 64,
    WISH_DESCRIBE = 128,
    WISH_MISSING = 256,
    WISH_COLUMNS = 512,
    WISH_WHICH = 1024,
    WISH_TABLE = 2048,
    WISH_DISTINCT = 4096,
    WISH_CHART = 8192,
    WISH_INSTEAD = 16384,
    WISH_NUMBER = 32768, /* "what is …" */
};

struct note {
    const char *key; /* of the lexicon's sentence */
    const char *arg[3];
    unsigned args;
};

struct draft {
    struct arena *arena;
    struct reading *reading;
    const struct frame *frame;
    struct plan plan;
    struct mention mention[MENTIONS_MAX];
    unsigned mentions;
    unsigned wishes;
    enum plan_aggregate aggregate; /* that no column followed */
    bool has_count;                /* "number of" things */
    bool has_count_of_rows;        /* … and the things are rows for certain */
    bool wants_rank;               /* "which … most" */
    bool rank_is_low;
    struct rank {
        size_t at; /* of its first item; the column follows */
        int column, count;
        bool is_low, is_there;
    } rank;                  /* "the 5 lightest" */
    bool is_measure_unknown; /* "average" of a word that is not a column */
    size_t
        limited; /* item of what a limit counts: "states" of "top 3 states"; 0: none */
    bool names_rows; /* "of each department", where rows are departments */
    bool has_bin;
    enum plan_grain asked_grain; /* also when nothing in this question takes it */
    int bin_column;
    enum plan_aggregate twin; /* "minimum and maximum sales": the first of them */
    struct note note[NOTES_MAX];
    unsigned notes;
    bool is_mark_implied, is_aggregate_implied, is_followup;
};

struct draft draft_make(struct arena *arena, struct reading *reading);

/* The steps. */
void draft_vague(struct draft *draft); /* "cheap cars": which, is not said */
void draft_find_rank(struct draft *draft);
void draft_sort(struct draft *draft);
void draft_limit(struct draft *draft);
void draft_bin(struct draft *draft);
void draft_filters(struct draft *draft);
void draft_rank(struct draft *draft); /* rows in the order of a superlative */
void draft_wishes(struct draft *draft);
void draft_mentions(struct draft *draft);
void draft_fill(struct draft *draft);

/* What draft_fill() goes through. */
void draft_merge_mentions(struct draft *draft); /* the same column twice is one */
void draft_drop_mentions(struct draft *draft);  /* that only say what the rows are */
void draft_ratio(struct draft *draft);          /* one number divided by another */
void draft_also(struct draft *draft);           /* several numbers of the same groups */
enum plan_mark draft_infer_mark(struct draft *draft);
void draft_cast(struct draft *draft); /* who stands on which axis */
void draft_choose_intent(struct draft *draft);
struct mention *draft_add_time(struct draft *draft); /* NULL if there is none */
/* What the rows are called, or -1; and whether a column tells them apart. */
int draft_label_column(const struct draft *draft);
bool draft_is_row_each(const struct column *column, json_int_t rows);
/* The aggregate of a number where none is said: noted as an assumption. */
enum plan_aggregate draft_imply_aggregate(struct draft *draft, int column);

/* Helpers for the steps. */
struct item *draft_item(const struct draft *draft, size_t at); /* NULL past the end */
bool draft_is_term(const struct draft *draft, size_t at, enum term term);
void draft_use(struct draft *draft, size_t from, size_t to); /* [from, to) */
const struct column *draft_column(const struct draft *draft, int column);
/* The column that a column item means where a number (or a name) is expected. */
int draft_resolve(const struct draft *draft, const struct item *item, bool number);
int draft_time_column(const struct draft *draft);
void draft_note(struct draft *draft, const char *key, const char *a, const char *b);
