/*
 * What kind of answer a question asks for: its chart, a table, rows.
 */
#include "bridge/planner/draft/draft.h"

static const struct {
    enum term term;
    enum draft_wish wish;
} wishes[] = {
    {TERM_TIME,         WISH_TIME        },
    {TERM_DISTRIBUTION, WISH_DISTRIBUTION},
    {TERM_RANGE_OF,     WISH_DISTRIBUTION},
    {TERM_SHARE,        WISH_SHARE       },
    {TERM_RELATION,     WISH_RELATION    },
    {TERM_COMPARE,      WISH_COMPARE     },
    {TERM_CORRELATION,  WISH_CORRELATION },
    {TERM_ROWS,         WISH_ROWS        },
    {TERM_DESCRIBE,     WISH_DESCRIBE    },
    {TERM_MISSING,      WISH_MISSING     },
    {TERM_EMPTY,        WISH_MISSING     },
    {TERM_COLUMNS,      WISH_COLUMNS     },
    {TERM_WHICH,        WISH_WHICH       },
    {TERM_TABLE,        WISH_TABLE       },
    {TERM_DISTINCT,     WISH_DISTINCT    },
    {TERM_INSTEAD,      WISH_INSTEAD     },
    {TERM_WHAT_IS,      WISH_NUMBER      },
};

static const struct {
    enum term term;
    enum plan_mark mark;
    enum plan_layout layout;
} marks[] = {
    {TERM_STACKED,   MARK_BAR,       LAYOUT_STACKED},
    {TERM_GROUPED,   MARK_BAR,       LAYOUT_GROUPED},
    {TERM_SCATTER,   MARK_SCATTER,   LAYOUT_NONE   },
    {TERM_PIE,       MARK_PIE,       LAYOUT_NONE   },
    {TERM_BOX,       MARK_BOX,       LAYOUT_NONE   },
    {TERM_HEATMAP,   MARK_HEATMAP,   LAYOUT_NONE   },
    {TERM_LINE,      MARK_LINE,      LAYOUT_NONE   },
    {TERM_HISTOGRAM, MARK_HISTOGRAM, LAYOUT_NONE   },
    {TERM_BAR,       MARK_BAR,       LAYOUT_NONE   },
    {TERM_BARS,      MARK_BAR,       LAYOUT_NONE   },
};

/* The most particular chart word wins, wherever it stands. */
static void
find_mark(struct draft *draft)
{
    for (size_t m = 0; m < COUNT_OF(marks); m++)
        for (size_t i = 0; i < draft->reading->count; i++)
            if (draft_is_term(draft, i, marks[m].term) &&
                !draft_item(draft, i)->is_used) {
                draft->plan.mark = marks[m].mark;
                draft->plan.layout = marks[m].layout;
                draft->wishes |= WISH_CHART;
                return;
            }
}

void
draft_wishes(struct draft *draft)
{
    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = draft_item(draft, i);

        for (size_t w = 0; w < COUNT_OF(wishes); w++)
            if (item->kind == ITEM_TERM && !item->is_used &&
                item->term == wishes[w].term)
                draft->wishes |= wishes[w].wish;
    }
    find_mark(draft);
}
