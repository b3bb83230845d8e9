/* The changes, and which of them suit what is drawn. */
#include "bridge/planner/restyle/restyle.h"

static void
apply_style(struct style *style, const struct restyle *change)
{
    if (change->lies || change->stands)
        style->is_horizontal = change->lies;
    if (change->is_log || change->is_linear)
        style->is_log = change->is_log;
    style->has_labels |= change->has_labels;
    if (change->colour)
        style->colour = change->colour;
    if (change->title)
        style->title = change->title;
}

static bool
draws(const struct restyle *change)
{
    return change->mark || change->layout || change->lies || change->stands ||
           change->is_log || change->is_linear || change->has_labels ||
           change->colour || change->title;
}

/* Of a chart of groups: does the change suit it? */
static const char *
check(enum plan_mark mark, unsigned keys, const struct restyle *change)
{
    bool is_bar = mark == MARK_BAR, is_line = mark == MARK_LINE;

    if (change->layout && keys < 2)
        return "restyle.stack";
    if (mark == MARK_PIE && keys > 1)
        return "restyle.pie";
    if (mark == MARK_HEATMAP && keys < 2)
        return "restyle.heatmap";
    if (change->lies && !is_bar)
        return "restyle.lies";
    if (change->has_labels && !is_bar)
        return "restyle.labels";
    if (change->is_log && !is_bar && !is_line)
        return "restyle.log";
    if (change->colour && (keys > 1 || (!is_bar && !is_line)))
        return "restyle.colour";
    return NULL;
}

static bool
is_by_time(const struct restyle *change)
{
    return change->order == RESTYLE_EARLIEST || change->order == RESTYLE_LATEST;
}

static void
apply_order(struct query *query, const struct restyle *change)
{
    if (!change->order)
        return;
    query->is_sorted = true;
    query->sorts_by_key = change->order == RESTYLE_BY_NAME || is_by_time(change);
    query->sorts_down =
        change->order == RESTYLE_DOWN || change->order == RESTYLE_LATEST;
    if (query->mark == MARK_LINE && !change->mark && query->keys == 1 &&
        query_value_is_time(query->frame, query->key[0]) &&
        (query->sorts_down || !query->sorts_by_key))
        query->mark = MARK_BAR; /* a line goes on as time does */
}

const char *
restyle_query(struct query *query, const struct restyle *change)
{
    if (query->keys == 0 ||
        (query->shape != SHAPE_CHART && query->shape != SHAPE_TABLE))
        return query->shape == SHAPE_NUMBER ? "restyle.number" : "restyle.rows";
    if (change->is_table) {
        if (draws(change))
            return "restyle.table";
        query->shape = SHAPE_TABLE;
    } else if (draws(change)) {
        if (query->keys > 2 || query->amounts > 1 || query->rank.is_within)
            return "refuse.chart";
        enum plan_mark mark = change->mark                  ? change->mark
                              : query->shape == SHAPE_CHART ? query->mark
                                                            : MARK_BAR;
        const char *why = check(mark, query->keys, change);

        if (why)
            return why;
        query->shape = SHAPE_CHART;
        query->mark = mark;
        if (change->layout)
            query->layout = change->layout;
        apply_style(&query->style, change);
        query->style.is_horizontal &= mark == MARK_BAR;
        query->style.has_labels &= mark == MARK_BAR;
    }
    if (change->order == RESTYLE_UP || change->order == RESTYLE_DOWN) {
        if (query->keys > 1 || query->along)
            return "restyle.order";
    }
    if (is_by_time(change) && !query_value_is_time(query->frame, query->key[0]))
        return "restyle.dates";
    apply_order(query, change);
    return NULL;
}

/* Points, histograms and boxes: only what they can carry. */
const char *
restyle_plan(struct plan *plan, const struct restyle *change)
{
    bool is_axes = plan->mark == MARK_SCATTER || plan->mark == MARK_HISTOGRAM ||
                   plan->mark == MARK_BOX;

    if (plan->intent != INTENT_CHART || !is_axes)
        return "restyle.rows";
    if (change->mark || change->layout || change->lies || change->order ||
        change->is_table)
        return "restyle.points";
    if (change->has_labels)
        return "restyle.labels";
    if (change->colour && (plan->series >= 0 || plan->mark == MARK_BOX))
        return "restyle.colour";
    apply_style(&plan->style, change);
    return NULL;
}
