/*
 * words: text cut into words, numbers, dates and marks, each with its stem.
 *
 * Questions, column names, cell values and the lexicon's phrases all go through here,
 * so that what is written alike is equal. `order_date`, `orderDate` and "order date"
 * are the same two words. Pure functions.
 */
#pragma once

#include "bridge/planner/words/arena.h"

enum {
    WORDS_MAX = 256, /* of one question; what follows is not read */
};

enum word_kind {
    WORD_TEXT,
    WORD_NUMBER,
    WORD_DATE,
    WORD_MARK, /* punctuation and operators */
};

struct word {
    enum word_kind kind;
    char *text;        /* lower case */
    uint64_t stem;     /* hash of the text without its plural ending */
    double number;     /* of WORD_NUMBER */
    size_t begin, end; /* bytes of the source */
    int quote;         /* which pair of quotation marks it stands in; 0: none */
    bool corrected;    /* taken for a known word that is spelt nearly so */
    bool superlative;  /* "lightest", and not "lowest weight" */
    bool is_noun_of;   /* "attendance" of a column `attend`: that, and not the verb */
};

struct words {
    struct word *at; /* in the arena */
    size_t count;
};

struct words words_split(struct arena *arena, struct slice text, size_t max);

bool words_is_per(const struct words *words, size_t at); /* "/" */
/* Whether digits follow without a space: "no" of "NO2". */
bool words_is_in_code(const struct words *words, size_t at);
bool words_is_plural(const char *text);  /* "cars"; not "gas", "class" */
bool words_ends_in_ed(const char *text); /* "played"; not "red", "used" */
bool words_ends_in_s(const char *text);  /* "cars", "gas", "class"; not "s" */

uint64_t words_stem(const char *text, size_t len);
uint64_t words_fold(uint64_t hash, uint64_t stem);      /* of a sequence; starts at 0 */
uint64_t words_exact(const char *text);                 /* as it is written */
uint64_t words_squash(uint64_t hash, const char *text); /* letters and digits alone */
