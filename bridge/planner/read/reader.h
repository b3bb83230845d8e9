/* reader: what the parts of reading share. */
#pragma once

#include "bridge/planner/read/reading.h"

enum {
    SPAN_MAX = 8, /* words that one item may have */
    GROUP_SPAN_MAX = 4,
    GROUPS_MAX = 6,
    MEASURES = 2, /* weights, distances */
};

/* What the words from one place on may be synonyms of. */
struct place {
    unsigned group[GROUP_SPAN_MAX][GROUPS_MAX];
    unsigned groups[GROUP_SPAN_MAX];
    bool is_light;
};

struct span {
    struct link link[LINKS_MAX];
    unsigned links;
};

/* Where a column's name was found in the question. */
struct match {
    unsigned mask; /* units of the form that were said */
    size_t len;    /* words of the question */
    float quality; /* from 0 to 1: spelling, synonyms */
};

/* What is counted in units of a kind. */
struct measure_found {
    int column; /* -1: none, or several */
    bool is_looked;
};

struct reader {
    struct arena *arena;
    const struct lexicon *lexicon;
    const struct frame *frame;
    struct slice question;
    bool has_small_letters; /* so that capitals mean something */
    struct words words;
    struct place *place;
    struct measure_found *measure; /* MEASURES */
    struct span (*span)[SPAN_MAX]; /* [first word][length - 1] */
};

/* "half a million" becomes one number. */
void reader_join_scales(struct reader *reader);
/* Words that nobody knows are taken for known ones that are spelt nearly so. */
void reader_correct_spelling(struct reader *reader);
/* "low and high estimates": the last word belongs to both. */
void reader_complete_pairs(struct reader *reader);
/* "lightest" becomes "lowest weight", if there is a weight. */
void reader_find_ranks(struct reader *reader);
/* "unsold" becomes "not sold", if a column is about that. */
void reader_split_denials(struct reader *reader);
void reader_find_groups(struct reader *reader);
/* From 0 to 1: how surely the words from `at` on name that column, by this form of its
 * name. */
float reader_score(const struct reader *reader, const struct column *column,
                   const struct form *form, const struct match *match, size_t at);
/* How many words from `at` on say this unit of the form (0: none), and how well.
 * is_behind: behind other words of the same name. */
size_t reader_match_unit(const struct reader *reader, const struct form *form,
                         const struct unit *unit, size_t at, bool is_behind,
                         float *quality);
/* "garages" of a column whose cells are "Riverside Garage" and the like. */
void reader_link_cells(struct reader *reader);
/* "mean", "highest": what makes one number of many. */
bool reader_is_reducing(enum term term);
/* "sum of the" before it. */
bool reader_is_reduced(const struct reader *reader, size_t at);
/* "total rain", "20 mm of rain" of `precip_mm`, where a column of the weather says
 * "Rain", too. */
bool reader_is_measured_there(const struct reader *reader, size_t at,
                              const struct span *span);
/* "by carrier", "each carrier", where a cell of another column says "Carrier", too. */
bool reader_is_key_there(const struct reader *reader, size_t at,
                         const struct span *span);
/* The value that `len` words from `at` on are; -1: none. *quality: from 0 to 1. */
int reader_find_value(const struct reader *reader, size_t at, size_t len,
                      float *quality);
bool reader_has_other_time(const struct reader *reader);   /* than dates of birth */
void reader_add_link(struct span *span, struct link link); /* best first */
void
reader_link_short(struct reader *reader); /* after all others: names of few letters */
/* "temperature" of `wtemp_c`. */
bool reader_is_lettered(const struct reader *reader, const struct column *column,
                        const struct word *word);
/* "weight" of `net_kg`, where no other number is counted in such units. */
bool reader_is_measure(const struct reader *reader, const struct column *column,
                       const struct word *word);
void reader_link_columns(struct reader *reader); /* fills reader->span */
/* Items that could be two things become what the others make of them. */
void reading_settle(struct reading *reading);
enum {
    ORDER_MOST = 2, /* words of an order */
};

/* How many words from `at` on only tell what to do: 2 of "pull up the number of"; 0. */
size_t reader_order(const struct reader *reader, size_t at);
/* Whether a word that says nothing elsewhere is a column that the span links. */
bool reader_is_named_filler(const struct reader *reader, size_t at, enum term term,
                            const struct span *span);
/* The same of words that ask for something: "forecast", "reported". */
bool reader_is_named_so(const struct reader *reader, size_t at, enum term term,
                        const struct span *span);
