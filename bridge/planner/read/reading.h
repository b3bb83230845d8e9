/*
 * reading: a question's words as terms, columns, values and numbers of one frame.
 *
 * Every stretch of words may be several of these; the reading is the sequence that
 * explains most words best. What no stretch explains is unknown, and is said to be so.
 */
#pragma once

#include "bridge/planner/profile/profile.h"

enum {
    LINKS_MAX = 8, /* columns that one phrase may mean */
};

struct link {
    int column;
    float score; /* 1: the very name */
};

enum item_kind {
    ITEM_UNKNOWN,
    ITEM_TERM,
    ITEM_COLUMN,
    ITEM_VALUE,
    ITEM_NUMBER,
    ITEM_DATE,
    ITEM_COMMA,
    ITEM_STOP, /* end of a sentence */
};

struct item {
    enum item_kind kind;
    enum term term; /* also of columns and values whose words are a term */
    struct link link[LINKS_MAX];
    unsigned links;
    int value; /* entry in the frame's index */
    double number;
    size_t begin, len; /* words */
    bool is_used;      /* some step has made sense of it */
    bool is_by;        /* "per month", and month is a column */
    bool is_vague;     /* picks rows, and does not say which: no step can */
};

struct reading {
    const struct frame *frame;
    const struct lexicon *lexicon;
    struct slice question;
    struct words words;
    struct item *item;
    size_t count;
    double score; /* how much the frame explains: compares frames */
};

/* Whether a column's name says of what a term asks that it is: "highest" of `TMax_C`.
 */
bool reading_is_said_by(const struct reading *reading, enum term term,
                        const struct column *column);

/* `words` are the question's, rewritten. */
struct reading reading_make(struct arena *arena, const struct lexicon *lexicon,
                            const struct frame *frame, struct slice question,
                            const struct words *words);

/* The words of an item as the question has them. */
struct slice reading_text(const struct reading *reading, const struct item *item);
