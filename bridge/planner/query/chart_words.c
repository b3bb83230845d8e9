#include "bridge/planner/query/chart_words.h"

static const struct chart_word words[] = {
    {TERM_BAR,       MARK_BAR,       LAYOUT_NONE,    false},
    {TERM_STACKED,   MARK_BAR,       LAYOUT_STACKED, false},
    {TERM_GROUPED,   MARK_BAR,       LAYOUT_GROUPED, false},
    {TERM_LINE,      MARK_LINE,      LAYOUT_NONE,    false},
    {TERM_PIE,       MARK_PIE,       LAYOUT_NONE,    false},
    {TERM_HEATMAP,   MARK_HEATMAP,   LAYOUT_NONE,    false},
    {TERM_SCATTER,   MARK_SCATTER,   LAYOUT_NONE,    true },
    {TERM_HISTOGRAM, MARK_HISTOGRAM, LAYOUT_NONE,    true },
    {TERM_BOX,       MARK_BOX,       LAYOUT_NONE,    true },
    {TERM_RELATION,  MARK_SCATTER,   LAYOUT_NONE,    true },
};

const struct chart_word *
chart_word_of(enum term term)
{
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (words[i].term == term)
            return &words[i];
    return NULL;
}
