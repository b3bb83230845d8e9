/*
 * Whether a chart, a number, a table or rows are asked for.
 */
#include "bridge/planner/pick.h"

static bool
wants_value(const struct draft *draft)
{
    const struct plan *plan = &draft->plan;

    return plan->x < 0 && (draft->has_count || (plan->y >= 0 && plan->aggregate));
}

/* "what was the profit in 2015": one number, not how it is distributed. */
static bool
asks_for_number(const struct draft *draft)
{
    return draft->wishes & WISH_NUMBER && !(draft->wishes & WISH_DISTRIBUTION) &&
           draft->is_mark_implied && draft->plan.mark == MARK_HISTOGRAM &&
           !draft->has_count && draft->plan.series < 0;
}

static enum plan_intent
find_intent(const struct draft *draft)
{
    const struct plan *plan = &draft->plan;
    unsigned wishes = draft->wishes;
    bool is_bare = mention_live(draft) == 0;

    if (wishes & WISH_CHART)
        return INTENT_CHART;
    if (wishes & WISH_COLUMNS && is_bare)
        return INTENT_COLUMNS;
    if (wishes & WISH_MISSING)
        return INTENT_MISSING;
    if (wishes & WISH_DESCRIBE && mention_live(draft) < 2)
        return INTENT_DESCRIBE;
    if (wishes & WISH_CORRELATION && is_bare)
        return INTENT_CORRELATION;
    if (wishes & WISH_ROWS && (is_bare || plan->x < 0) && !draft->has_count)
        return INTENT_ROWS;
    if (wishes & WISH_DISTINCT && plan->x < 0 && plan->y >= 0)
        return INTENT_UNIQUE;
    if (wishes & WISH_TABLE && plan->x >= 0)
        return INTENT_TABLE;
    if (wants_value(draft) || asks_for_number(draft))
        return INTENT_VALUE;
    return is_bare && (plan->filters || plan->sort == AXIS_COLUMN) ? INTENT_ROWS
                                                                   : INTENT_CHART;
}

/* Rows have no axes: they are ordered by a column. */
static void
sort_rows(struct plan *plan)
{
    if (plan->sort == AXIS_X && plan->x >= 0) {
        plan->sort = AXIS_COLUMN;
        plan->sort_column = plan->x;
    } else if (plan->sort != AXIS_COLUMN || plan->sort_column < 0) {
        plan->sort = AXIS_NONE;
    }
}

void
draft_choose_intent(struct draft *draft)
{
    struct plan *plan = &draft->plan;

    plan->intent = find_intent(draft);
    if (plan->intent == INTENT_CHART)
        return;
    if (plan->intent == INTENT_VALUE && plan->mark == MARK_HISTOGRAM) {
        plan->y = plan->x;
        plan->x = -1;
        plan->aggregate = draft_imply_aggregate(draft, plan->y);
    }
    plan->mark = plan->intent == INTENT_CORRELATION ? MARK_HEATMAP : MARK_NONE;
    if (plan->intent == INTENT_ROWS && plan->y < 0) {
        sort_rows(plan);
        plan->x = -1; /* "first 5 rows": as they stand */
        plan->aggregate = AGG_NONE;
    } else if (plan->intent == INTENT_UNIQUE) {
        plan->x = plan->y;
        plan->y = -1;
        plan->aggregate = AGG_NONE;
    } else if (plan->intent != INTENT_VALUE && plan->intent != INTENT_TABLE) {
        plan->aggregate = AGG_NONE;
    }
}
