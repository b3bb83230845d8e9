/* A plan of groups as a query. */
#include "bridge/planner/restyle/restyle.h"

static const struct value *
make(struct arena *arena, struct value value)
{
    struct value *made = arena_alloc(arena, 1, sizeof(*made));

    *made = value;
    return made;
}

static const struct value *
of_column(struct arena *arena, int column)
{
    return make(arena, (struct value){.kind = VALUE_COLUMN, .column = column});
}

static const struct value *
part_of(struct arena *arena, int column, enum query_part part)
{
    return make(arena, (struct value){.kind = VALUE_PART,
                                      .part = part,
                                      .left = of_column(arena, column)});
}

static const struct value *
key_of(struct arena *arena, const struct plan *plan)
{
    static const enum query_part parts[] = {
        [GRAIN_NONE] = PART_NONE,       [GRAIN_YEAR] = PART_YEAR,
        [GRAIN_QUARTER] = PART_QUARTER, [GRAIN_MONTH] = PART_MONTH,
        [GRAIN_WEEK] = PART_WEEK,       [GRAIN_DAY] = PART_DAY,
        [GRAIN_WEEKDAY] = PART_WEEKDAY, [GRAIN_HOUR] = PART_HOUR,
    };

    return plan->grain ? part_of(arena, plan->x, parts[plan->grain])
                       : of_column(arena, plan->x);
}

static struct amount
amount_of(struct arena *arena, const struct measure *measure)
{
    static const enum query_aggregate reduces[] = {
        [AGG_NONE] = REDUCE_NONE,         [AGG_COUNT] = REDUCE_COUNT,
        [AGG_SUM] = REDUCE_SUM,           [AGG_MEAN] = REDUCE_MEAN,
        [AGG_MEDIAN] = REDUCE_MEDIAN,     [AGG_MIN] = REDUCE_MIN,
        [AGG_MAX] = REDUCE_MAX,           [AGG_STD] = REDUCE_STD,
        [AGG_DISTINCT] = REDUCE_DISTINCT,
    };
    bool is_of_rows = measure->column < 0 || measure->aggregate == AGG_COUNT;

    return (struct amount){
        .reduce = reduces[measure->aggregate],
        .of = is_of_rows ? NULL : of_column(arena, measure->column),
    };
}

/* A number against dates is a year. */
static struct test
test_of(struct arena *arena, const struct frame *frame, const struct filter *filter)
{
    bool is_year = frame->column[filter->column].kind == COLUMN_DATE &&
                   filter->operands && filter->operand[0].is_number;
    struct test test = {
        .of = is_year ? part_of(arena, filter->column, PART_YEAR)
                      : of_column(arena, filter->column),
        .op = filter->op,
        .operands = filter->operands,
        .is_or = filter->is_or,
    };

    memcpy(test.operand, filter->operand, sizeof(test.operand));
    return test;
}

static bool
is_of_groups(const struct plan *plan)
{
    bool is_chart = plan->intent == INTENT_CHART &&
                    (plan->mark == MARK_BAR || plan->mark == MARK_LINE ||
                     plan->mark == MARK_PIE || plan->mark == MARK_HEATMAP) &&
                    !plan->alsos;

    return (is_chart || plan->intent == INTENT_TABLE) && plan->x >= 0 &&
           plan->aggregate != AGG_NONE && plan->bin_width <= 0 && plan->bins == 0 &&
           plan->sort != AXIS_COLUMN && plan->layout != LAYOUT_FACETED &&
           !(plan->limit && plan->sort != AXIS_Y) && plan->filters <= TESTS_MAX &&
           (plan->y >= 0 || plan->aggregate == AGG_COUNT);
}

static void
set_order(struct query *query, const struct plan *plan)
{
    bool is_low = plan->sort == AXIS_Y && !plan->is_descending;

    if (plan->limit) {
        query->rank.is_there = true;
        query->rank.count = plan->limit;
        query->rank.is_low = is_low;
    }
    query->is_sorted = plan->sort != AXIS_NONE;
    query->sorts_by_key = plan->sort == AXIS_X;
    query->sorts_down = plan->is_descending;
}

bool
restyle_plan_as_query(struct query *query, struct arena *arena,
                      const struct frame *frame, const struct plan *plan)
{
    if (!is_of_groups(plan))
        return false;
    *query = (struct query){.frame = frame,
                            .keys = plan->series >= 0 ? 2 : 1,
                            .amounts = 1 + plan->alsos,
                            .tests = plan->filters,
                            .shape = plan->intent == INTENT_CHART ? SHAPE_CHART
                                                                  : SHAPE_TABLE,
                            .mark = plan->mark,
                            .layout = plan->layout,
                            .style = plan->style};
    query->key[0] = key_of(arena, plan);
    if (plan->series >= 0)
        query->key[1] = of_column(arena, plan->series);
    query->amount[0] = amount_of(arena, &(struct measure){plan->y, plan->aggregate});
    for (unsigned i = 0; i < plan->alsos; i++)
        query->amount[i + 1] = amount_of(arena, &plan->also[i]);
    if (plan->is_ratio) {
        struct amount *per = arena_alloc(arena, 1, sizeof(*per));

        *per = amount_of(arena, &plan->per);
        query->amount[0].per = per;
    }
    for (unsigned i = 0; i < plan->filters; i++)
        query->test[i] = test_of(arena, frame, &plan->filter[i]);
    if (plan->is_share && plan->mark != MARK_PIE)
        query->share = SHARE_TOTAL;
    set_order(query, plan);
    return true;
}
