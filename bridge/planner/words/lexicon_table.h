/*
 * lexicon_table: what a lexicon is made of, for those who fill it and look things up.
 */
#pragma once

#include "bridge/planner/words/lexicon.h"

enum {
    GROUPS_PER_PHRASE = 6,
    FORMULAS_MAX = 20,
};

/* Open addressing by hash; phrases, words and rules are all kept in one. */
struct lexicon_entry {
    uint64_t hash;
    enum term term;
    unsigned flags;
    unsigned group[GROUPS_PER_PHRASE];
    unsigned groups;
    struct words *expansion; /* of an abbreviation */
    struct words *rewrite;   /* of a phrase */
    struct words *rank;      /* of a superlative */
    struct words *opposite;  /* what is so when this is not */
    const char *word;        /* when a single word: its text */
    const char *sentence;
    const char *formula[FORMULAS_MAX]; /* that a measure's name stands for */
    unsigned formulas;
    unsigned order, place; /* among the words of an ordinal line; 0: none */
};

struct lexicon_group {
    const char **phrase;
    size_t count;
    bool is_of_values; /* names of things in cells, not of columns */
};

struct lexicon {
    struct arena arena;
    struct lexicon_entry *table;
    size_t used, size;
    struct lexicon_group *group;
    size_t groups, group_room;
    unsigned orders;
};

/* NULL if there is none. */
const struct lexicon_entry *lexicon_table_find(const struct lexicon *lexicon,
                                               uint64_t hash);
void lexicon_table_grow(struct lexicon *lexicon);
/* The entry of this hash, made if there is none; valid until the next is made. */
struct lexicon_entry *lexicon_table_enter(struct lexicon *lexicon, uint64_t hash);
struct lexicon_entry *lexicon_table_phrase(struct lexicon *lexicon,
                                           const struct words *words);
/* The hash of words in a row, and that of a sentence's key. */
uint64_t lexicon_table_fold(const struct word *at, size_t len);
uint64_t lexicon_table_sentence(const char *key);
