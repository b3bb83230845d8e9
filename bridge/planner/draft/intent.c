/*
 * Whether a chart, a number, a table or rows are asked for.
 */
#include "bridge/planner/draft/mention.h"

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

/* "percentage of cars from Japan", "share of sales in the west" */
static bool
asks_for_part(const struct draft *draft)
{
    const struct plan *plan = &draft->plan;
    bool is_of_sum = plan->y < 0 && plan->x >= 0 && plan->aggregate == AGG_COUNT &&
                     plan->series < 0 &&
                     draft_column(draft, plan->x)->role == ROLE_QUANTITY &&
                     draft_column(draft, plan->x)->flags & FLAG_ADDITIVE;
    bool is_of_rows = plan->x < 0 && (plan->y < 0 || plan->aggregate == AGG_SUM);

    return draft->wishes & WISH_SHARE && plan->filters && (is_of_sum || is_of_rows);
}

static enum plan_intent
find_intent(const struct draft *draft)
{
    const struct plan *plan = &draft->plan;
    unsigned wishes = draft->wishes;
    bool is_bare = mention_live(draft) == 0;

    if (plan->alsos && plan->x >= 0 && (plan->series >= 0 || wishes & WISH_TABLE))
        return INTENT_TABLE;
    if (wishes & WISH_CHART)
        return INTENT_CHART;
    if (wishes & WISH_MISSING)
        return INTENT_MISSING;
    if (wishes & WISH_COLUMNS && is_bare)
        return INTENT_COLUMNS;
    if (wishes & WISH_DESCRIBE && mention_live(draft) < 2)
        return INTENT_DESCRIBE;
    if (wishes & WISH_CORRELATION && is_bare)
        return INTENT_CORRELATION;
    if (asks_for_part(draft))
        return INTENT_VALUE;
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

/* Of counts and sums; a pie shows its shares anyway, the mean of zeros and ones is one.
 */
static bool
wants_share(const struct draft *draft)
{
    const struct plan *plan = &draft->plan;
    bool adds = plan->aggregate == AGG_COUNT || plan->aggregate == AGG_SUM;
    bool is_drawn = plan->intent == INTENT_CHART &&
                    (plan->mark == MARK_BAR || plan->mark == MARK_LINE) &&
                    plan->layout != LAYOUT_FACETED;

    return draft->wishes & WISH_SHARE && adds && plan->x >= 0 && !plan->is_ratio &&
           !plan->alsos && (is_drawn || plan->intent == INTENT_TABLE);
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
    if (draft->wishes & WISH_SHARE && plan->aggregate == AGG_NONE && plan->y >= 0 &&
        plan->x >= 0 && plan->mark == MARK_BAR)
        plan->aggregate = AGG_SUM; /* of one row each */
    plan->is_share = wants_share(draft);
    if (plan->intent == INTENT_VALUE && asks_for_part(draft)) {
        plan->is_share = true;
        plan->y = plan->y >= 0 ? plan->y : plan->x;
        plan->x = -1;
        plan->aggregate = plan->y >= 0 ? AGG_SUM : AGG_COUNT;
    }
    if (plan->alsos && plan->intent != INTENT_TABLE && plan->intent != INTENT_VALUE &&
        !(plan->intent == INTENT_CHART && plan->x >= 0 &&
          (plan->mark == MARK_BAR || plan->mark == MARK_LINE)))
        plan->alsos = 0;
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
