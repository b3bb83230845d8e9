/*
 * From mentions to a chart: what stands on which axis.
 */
#include "bridge/planner/draft/mention.h"

enum {
    YEARS_MOST = 30, /* that have a bar each */
};

struct cast {
    struct draft *draft;
    struct mention *measure; /* the number shown */
    struct mention *x, *series;
};

static void
set_axes(struct cast *cast)
{
    struct plan *plan = &cast->draft->plan;

    plan->x = cast->x ? cast->x->column : -1;
    plan->y = cast->measure ? cast->measure->column : -1;
    plan->series = cast->series ? cast->series->column : -1;
    if (plan->series == plan->x || plan->series == plan->y)
        plan->series = -1;
    if (cast->measure)
        plan->aggregate = cast->measure->aggregate;
}

static struct mention *
either(struct mention *a, struct mention *b)
{
    return a ? a : b;
}

static void
cast_scatter(struct cast *cast)
{
    struct draft *draft = cast->draft;
    struct mention *x = mention_find(draft, mention_is_on_x, NULL, NULL),
                   *y = mention_find(draft, mention_is_on_y, NULL, NULL);

    if (mention_count(draft, mention_is_free_quantity) <
        2) /* ids and codes in the order of speech */
        x = either(x, mention_find(draft, mention_is_free_number, y, NULL));
    x = either(x, mention_find(draft, mention_is_free_quantity, y, NULL));
    x = either(x, mention_find(draft, mention_is_free_number, y, NULL));
    x = either(x, mention_find(draft, mention_is_not_quantity, y, NULL));
    if (mention_count(draft, mention_is_free_quantity) < 2)
        y = either(y, mention_find(draft, mention_is_free_number, x, NULL));
    y = either(y, mention_find(draft, mention_is_free_quantity, x, NULL));
    y = either(y, mention_find(draft, mention_is_free_number, x, NULL));
    y = either(y, draft->has_count
                      ? NULL
                      : mention_find(draft, mention_is_not_quantity, x, NULL));
    cast->series = either(mention_find(draft, mention_is_series, x, y),
                          mention_find(draft, mention_is_invited_name, x, y));
    cast->series =
        either(cast->series, mention_find(draft, mention_is_invited_other, x, y));
    if (x && y && x->aggregate != AGG_NONE && y->aggregate == AGG_NONE) {
        struct mention *swap = x;

        x = y;
        y = swap;
    }
    cast->x = x;
    cast->measure = y;
    set_axes(cast);
    if (!y)
        draft->plan.aggregate = AGG_COUNT;
}

/* "how much did we sell": the one column that adds up. */
static struct mention *
add_only_measure(struct draft *draft)
{
    int only = -1;

    for (int i = 0; i < draft->frame->columns; i++)
        if (draft_column(draft, i)->role == ROLE_QUANTITY &&
            draft_column(draft, i)->flags & FLAG_ADDITIVE) {
            if (only >= 0)
                return NULL;
            only = i;
        }
    if (only < 0 || draft->mentions == MENTIONS_MAX)
        return NULL;
    draft_note(draft, "assume.measure", draft_column(draft, only)->name, NULL);
    struct mention *mention = &draft->mention[draft->mentions++];
    *mention = (struct mention){.column = only, .place = PLACE_MEASURE, .score = 0.8f};
    return mention;
}

static void
pick_measure(struct cast *cast)
{
    struct draft *draft = cast->draft;

    cast->measure = mention_find(draft, mention_is_aggregated, NULL, NULL);
    if (draft->has_count && !cast->measure &&
        !mention_find(draft, mention_is_measure, NULL, NULL))
        return;
    cast->measure =
        either(cast->measure, mention_find(draft, mention_is_measure, NULL, NULL));
    cast->measure =
        either(cast->measure, mention_find(draft, mention_is_on_y, NULL, NULL));
    cast->measure = either(cast->measure,
                           mention_find(draft, mention_is_plain_quantity, NULL, NULL));
    cast->measure = either(cast->measure,
                           mention_find(draft, mention_is_free_quantity, NULL, NULL));
    if (!cast->measure && mention_live(draft) > 1)
        cast->measure = mention_find(draft, mention_is_likely_measure, NULL, NULL);
    if (!cast->measure && draft->aggregate != AGG_NONE && !draft->has_count &&
        !draft->is_measure_unknown)
        cast->measure = add_only_measure(draft);
    if (cast->measure && cast->measure->aggregate == AGG_NONE)
        cast->measure->aggregate = draft->aggregate;
}

static void
pick_dimensions(struct cast *cast)
{
    struct draft *draft = cast->draft;
    const struct mention *y = cast->measure;

    cast->series = mention_find(draft, mention_is_series, y, NULL);
    cast->x = mention_find(draft, mention_is_on_x, y, NULL);
    if (draft->plan.mark == MARK_LINE)
        cast->x = either(cast->x, mention_find(draft, mention_is_time, y, NULL));
    cast->x =
        either(cast->x, mention_find(draft, mention_is_grouping, y, cast->series));
    cast->x = either(cast->x, mention_find(draft, mention_is_time, y, cast->series));
    cast->x = either(cast->x, mention_find(draft, mention_is_name, y, cast->series));
    cast->x = either(cast->x, mention_find(draft, mention_is_any, y, cast->series));
    if (cast->series == cast->x)
        cast->series = NULL;
    if (!cast->x) {
        cast->x = cast->series;
        cast->series = NULL;
    }
    cast->series =
        either(cast->series, mention_find(draft, mention_is_invited_name, y, cast->x));
    cast->series =
        either(cast->series, mention_find(draft, mention_is_invited_other, y, cast->x));
    if (draft->plan.mark == MARK_LINE) /* "sales of categories over time" */
        cast->series = either(cast->series,
                              mention_find(draft, mention_is_small_group, y, cast->x));
    if (!y) /* counts have room for what else was named */
        cast->series =
            either(cast->series, mention_find(draft, mention_is_pure_name, y, cast->x));
}

/* One quantity and nothing else: how it is distributed. */
static bool
is_histogram(const struct cast *cast)
{
    const struct draft *draft = cast->draft;

    if (!cast->measure || cast->x || cast->measure->aggregate != AGG_NONE)
        return false;
    return mention_is_quantity(draft, cast->measure) ||
           mention_role(draft, cast->measure) == ROLE_DISCRETE;
}

static void
count_rows(struct cast *cast)
{
    cast->measure = NULL;
    cast->draft->plan.aggregate = AGG_COUNT;
}

/* "how many carriers are there", "how many destinations does each carrier have" */
static void
count_names(struct draft *draft)
{
    struct mention *counted = NULL;
    unsigned each = 0, others = 0;

    for (unsigned i = 0; i < draft->mentions; i++) {
        struct mention *mention = &draft->mention[i];

        if (mention->is_how_many && !counted)
            counted = mention;
        else if (mention->place == PLACE_EACH && !mention->is_dropped &&
                 !(counted && counted->column == mention->column))
            each++;
        else if (!mention->is_dropped)
            others++;
    }
    if (!counted || others || each > 1 || counted->score < 0.84f ||
        mention_role(draft, counted) != ROLE_NOMINAL || draft->plan.filters ||
        draft->wishes & WISH_CHART)
        return;
    counted->is_dropped = false;
    counted->aggregate = AGG_DISTINCT;
}

static void
cast_bars(struct cast *cast)
{
    struct draft *draft = cast->draft;
    bool is_count;

    count_names(draft);
    pick_measure(cast);
    pick_dimensions(cast);
    is_count = !cast->measure;
    bool names_rows = draft->names_rows && draft_label_column(draft) >= 0 &&
                      !(draft->wishes & WISH_DISTRIBUTION);
    if (is_histogram(cast) && !names_rows) {
        cast->x = cast->measure;
        is_count = true;
    }
    if (is_count)
        count_rows(cast);
    set_axes(cast);
    if (is_count)
        draft->plan.aggregate = AGG_COUNT;
    else if (!cast->x && draft->names_rows)
        draft->plan.x = draft_label_column(draft);
    bool is_part_of_date = cast->x && cast->x->item && cast->x->item->is_by;
    if (cast->x && is_count && draft->plan.mark == MARK_BAR && !is_part_of_date &&
        mention_role(draft, cast->x) == ROLE_QUANTITY)
        draft->plan.mark = MARK_HISTOGRAM;
}

static void
cast_histogram(struct cast *cast)
{
    struct draft *draft = cast->draft;

    if (mention_find(draft, mention_is_aggregated, NULL, NULL) &&
        mention_live(draft) > 1) {
        draft->plan.mark = MARK_BAR;
        cast_bars(cast);
        return;
    }
    cast->x = mention_find(draft, mention_is_on_x, NULL, NULL);
    cast->x =
        either(cast->x, mention_find(draft, mention_is_free_quantity, NULL, NULL));
    cast->x = either(cast->x, mention_find(draft, mention_is_grouping, NULL, NULL));
    cast->x = either(cast->x, mention_find(draft, mention_is_any, NULL, NULL));
    cast->series = either(mention_find(draft, mention_is_series, cast->x, NULL),
                          mention_find(draft, mention_is_invited_other, cast->x, NULL));
    set_axes(cast);
    draft->plan.aggregate = AGG_COUNT;
    const struct column *x = cast->x ? draft_column(draft, cast->x->column) : NULL;
    const bool is_many_years = /* a bar for each year of birth is not a histogram */
        x && x->kind == COLUMN_NUMBER && x->role == ROLE_TIME && x->unique > YEARS_MOST;
    if (x && mention_role(draft, cast->x) != ROLE_QUANTITY && !is_many_years)
        draft->plan.mark = MARK_BAR;
}

static void
cast_heat(struct cast *cast)
{
    cast_bars(cast);
    cast->draft->plan.mark = MARK_HEATMAP;
}

static void
cast_box(struct cast *cast)
{
    struct plan *plan = &cast->draft->plan;

    pick_measure(cast);
    pick_dimensions(cast);
    set_axes(cast);
    plan->mark = MARK_BOX;
    plan->aggregate = AGG_NONE;
    if (plan->y < 0 && plan->x >= 0 &&
        draft_column(cast->draft, plan->x)->kind == COLUMN_NUMBER) {
        plan->y = plan->x; /* of few values, and yet what the boxes are of */
        plan->x = -1;
    }
}

/* A chart without a case does not compile. */
void
draft_cast(struct draft *draft)
{
    struct cast cast = {.draft = draft};

    switch (draft->plan.mark) {
    case MARK_NONE:
    case MARK_BAR:
    case MARK_LINE:
    case MARK_PIE:
        cast_bars(&cast);
        return;
    case MARK_SCATTER:
        cast_scatter(&cast);
        return;
    case MARK_HISTOGRAM:
        cast_histogram(&cast);
        return;
    case MARK_HEATMAP:
        cast_heat(&cast);
        return;
    case MARK_BOX:
        cast_box(&cast);
        return;
    }
}
