/*
 * chart_words: which kind of chart a word asks for.
 */
#pragma once

#include "bridge/planner/query/plan.h"

struct chart_word {
    enum term term;
    enum plan_mark mark;
    enum plan_layout layout; /* LAYOUT_NONE: the word does not say */
    bool is_of_rows;         /* drawn from rows, not from groups of them */
};

/* NULL: the term asks for no chart. Static. */
const struct chart_word *chart_word_of(enum term term);
