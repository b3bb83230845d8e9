/*
 * From mentions to a chart: what stands on which axis, and what was left unsaid.
 */
#include "bridge/planner/draft.h"

struct cast {
    struct draft *draft;
    struct mention *measure; /* the number shown */
    struct mention *x, *series;
};

static enum column_role
role_of(const struct draft *draft, const struct mention *mention)
{
    return draft_column(draft, mention->column)->role;
}

static bool
is_quantity(const struct draft *draft, const struct mention *mention)
{
    const struct column *column = draft_column(draft, mention->column);

    return column->role == ROLE_QUANTITY ||
           (column->is_numeric_text && mention->place == PLACE_MEASURE);
}

static bool
is_strong(const struct mention *mention)
{
    return mention->place == PLACE_SERIES || mention->place == PLACE_FACET;
}

static bool
is_dimension_place(const struct mention *mention)
{
    return mention->place == PLACE_BY || mention->place == PLACE_EACH ||
           mention->place == PLACE_GROUP || mention->place == PLACE_OVER ||
           mention->place == PLACE_X || is_strong(mention);
}

/* --- which mentions count --- */

static bool
outranks(const struct mention *a, const struct mention *b)
{
    if ((a->place == PLACE_MEASURE) != (b->place == PLACE_MEASURE))
        return a->place == PLACE_MEASURE;
    if (is_strong(a) != is_strong(b))
        return is_strong(a);
    if ((b->place == PLACE_COUNTED) != (a->place == PLACE_COUNTED))
        return b->place == PLACE_COUNTED;
    return false;
}

/* The same column twice is one mention, in its better place. */
static void
merge_twins(struct draft *draft)
{
    for (unsigned i = 0; i < draft->mentions; i++)
        for (unsigned k = i + 1; k < draft->mentions; k++) {
            struct mention *a = &draft->mention[i], *b = &draft->mention[k];

            if (a->is_dropped || b->is_dropped || a->column != b->column)
                continue;
            if (b->score > a->score)
                a->score = b->score;
            b->score = a->score;
            if (outranks(b, a) && !(is_dimension_place(a) && is_strong(b)))
                a->is_dropped = true;
            else
                b->is_dropped = true;
        }
}

/* "rating" after a column that is surely a rating means another rating. */
static void
separate_alternatives(struct draft *draft)
{
    for (unsigned i = 0; i < draft->mentions; i++)
        for (unsigned k = 0; k < draft->mentions; k++) {
            struct mention *weak = &draft->mention[i], *sure = &draft->mention[k];

            if (i == k || weak->column != sure->column || weak->item->links < 2 ||
                weak->score > 0.9f || sure->score <= weak->score)
                continue;
            for (unsigned l = 0; l < weak->item->links; l++)
                if (weak->item->link[l].column != sure->column &&
                    weak->item->link[l].score >= weak->score - 0.1f) {
                    weak->column = weak->item->link[l].column;
                    break;
                }
        }
}

static unsigned
live(const struct draft *draft)
{
    unsigned count = 0;

    for (unsigned i = 0; i < draft->mentions; i++)
        count += !draft->mention[i].is_dropped;
    return count;
}

/* "model weights", "models by weight", and not "name and weight" */
static bool
is_beside_number(const struct draft *draft, unsigned at)
{
    const struct mention *next = &draft->mention[at + 1];

    return at + 1 < draft->mentions && !next->is_dropped && !next->is_coordinate &&
           role_of(draft, next) == ROLE_QUANTITY;
}

static bool
is_key(const struct column *column)
{
    return column->role == ROLE_KEY || column->last_flags & FLAG_KEY;
}

/* "employees older than 50": which rows, and nothing of them. */
static bool
is_rows_alone(const struct draft *draft, const struct mention *mention)
{
    return mention->score < 0.65f && is_key(draft_column(draft, mention->column)) &&
           !is_dimension_place(mention) &&
           (draft->plan.filters || draft->plan.limit || draft->has_count);
}

/* "for each model", "count of titles": the rows themselves, and no axis. */
static void
drop_row_names(struct draft *draft)
{
    for (unsigned i = 0; i < draft->mentions; i++) {
        struct mention *mention = &draft->mention[i];
        const struct column *column = draft_column(draft, mention->column);
        bool names_rows = column->role == ROLE_KEY && (column->kind == COLUMN_TEXT ||
                                                       mention->place == PLACE_COUNTED);

        if (!mention->is_dropped && is_rows_alone(draft, mention)) {
            mention->is_dropped = true;
            draft->names_rows = true;
        }
        if (mention->is_dropped || live(draft) < 2)
            continue;
        if (is_key(column) && mention->score < 0.65f && !is_dimension_place(mention)) {
            mention->is_dropped = true;
            continue;
        }
        if (names_rows && mention->place == PLACE_PLAIN && is_beside_number(draft, i)) {
            mention->is_dropped = true;
            continue;
        }
        if (mention->aggregate == AGG_DISTINCT)
            continue;
        if (mention->place == PLACE_COUNTED && (names_rows || live(draft) > 1))
            mention->is_dropped = true;
        else if (names_rows && live(draft) > 2)
            mention->is_dropped = true;
        else if (names_rows && draft->has_count)
            mention->is_dropped = true;
    }
}

/* A faint resemblance is no mention when there are better ones. */
static void
drop_weak(struct draft *draft)
{
    for (unsigned i = 0; i < draft->mentions; i++)
        if (draft->mention[i].score < 0.5f && live(draft) > 1)
            draft->mention[i].is_dropped = true;
}

static struct mention *
find(struct draft *draft, bool (*wanted)(const struct draft *, const struct mention *),
     const struct mention *not_a, const struct mention *not_b)
{
    for (unsigned i = 0; i < draft->mentions; i++) {
        struct mention *mention = &draft->mention[i];

        if (!mention->is_dropped && mention != not_a && mention != not_b &&
            wanted(draft, mention))
            return mention;
    }
    return NULL;
}

/* --- predicates for find() --- */

static bool
is_any(const struct draft *draft UNUSED, const struct mention *mention UNUSED)
{
    return true;
}

static bool
is_aggregated(const struct draft *draft UNUSED, const struct mention *mention)
{
    return mention->aggregate != AGG_NONE;
}

static bool
is_measure(const struct draft *draft UNUSED, const struct mention *mention)
{
    return mention->place == PLACE_MEASURE;
}

static bool
is_on_y(const struct draft *draft UNUSED, const struct mention *mention)
{
    return mention->place == PLACE_Y;
}

static bool
is_on_x(const struct draft *draft UNUSED, const struct mention *mention)
{
    return mention->place == PLACE_X;
}

static bool
is_series(const struct draft *draft UNUSED, const struct mention *mention)
{
    return is_strong(mention);
}

static bool
is_time(const struct draft *draft, const struct mention *mention)
{
    return role_of(draft, mention) == ROLE_TIME;
}

static bool
is_binary(const struct draft *draft, const struct mention *mention)
{
    return column_is_binary(draft_column(draft, mention->column)) &&
           !is_dimension_place(mention);
}

static bool
is_free_quantity(const struct draft *draft, const struct mention *mention)
{
    return is_quantity(draft, mention) && !is_strong(mention);
}

static bool
is_free_number(const struct draft *draft, const struct mention *mention)
{
    const struct column *column = draft_column(draft, mention->column);

    return column_is_number(column) && column->role != ROLE_TIME &&
           !is_dimension_place(mention);
}

/* What may be averaged without being told: not the cylinders of an engine. */
static bool
is_likely_measure(const struct draft *draft, const struct mention *mention)
{
    const struct column *column = draft_column(draft, mention->column);

    return is_free_number(draft, mention) && !mention->is_counted &&
           (column->role != ROLE_DISCRETE ||
            column->flags & (FLAG_ADDITIVE | FLAG_INTENSIVE));
}

/* Said to be part of the chart, and not of what its rows are. */
static bool
is_invited(const struct draft *draft UNUSED, const struct mention *mention)
{
    return is_dimension_place(mention) || !mention->is_owner;
}

static bool
is_invited_name(const struct draft *draft, const struct mention *mention)
{
    return is_invited(draft, mention) && role_of(draft, mention) == ROLE_NOMINAL;
}

static bool
is_invited_other(const struct draft *draft, const struct mention *mention)
{
    return is_invited(draft, mention) && !is_quantity(draft, mention);
}

static bool
is_plain_quantity(const struct draft *draft, const struct mention *mention)
{
    return is_quantity(draft, mention) && !is_dimension_place(mention);
}

static bool
is_name(const struct draft *draft, const struct mention *mention)
{
    enum column_role role = role_of(draft, mention);

    return role == ROLE_NOMINAL || role == ROLE_DISCRETE || role == ROLE_KEY;
}

static bool
is_pure_name(const struct draft *draft, const struct mention *mention)
{
    return role_of(draft, mention) == ROLE_NOMINAL;
}

static bool
is_grouping(const struct draft *draft, const struct mention *mention)
{
    return is_dimension_place(mention) && !is_strong(mention) &&
           role_of(draft, mention) != ROLE_QUANTITY;
}

static bool
is_not_quantity(const struct draft *draft, const struct mention *mention)
{
    return !is_quantity(draft, mention) && !is_strong(mention);
}

/* Few enough to be lines of one chart. */
static bool
is_small_group(const struct draft *draft, const struct mention *mention)
{
    const struct column *column = draft_column(draft, mention->column);

    return column->role == ROLE_NOMINAL && !column->is_unique && column->unique >= 0 &&
           column->unique <= 30;
}

static unsigned
count(struct draft *draft, bool (*wanted)(const struct draft *, const struct mention *))
{
    unsigned found = 0;

    for (unsigned i = 0; i < draft->mentions; i++)
        found += !draft->mention[i].is_dropped && wanted(draft, &draft->mention[i]);
    return found;
}

/* --- which chart --- */

static struct mention *
add_time(struct draft *draft)
{
    int column = draft->has_bin && draft->bin_column >= 0 ? draft->bin_column
                                                          : draft_time_column(draft);

    if (column < 0 || draft->mentions == MENTIONS_MAX)
        return NULL;
    for (unsigned i = 0; i < draft->mentions; i++)
        if (draft->mention[i].column == column && !draft->mention[i].is_dropped)
            return &draft->mention[i];
    draft_note(draft, "assume.time", draft_column(draft, column)->name, NULL);
    struct mention *mention = &draft->mention[draft->mentions++];
    *mention = (struct mention){.column = column, .place = PLACE_OVER, .score = 0.9f};
    return mention;
}

static enum plan_mark
infer_relation(struct draft *draft)
{
    unsigned quantities = count(draft, is_free_quantity);

    if (quantities >= 2 && !find(draft, is_aggregated, NULL, NULL))
        return MARK_SCATTER;
    if (find(draft, is_time, NULL, NULL) && quantities)
        return MARK_LINE;
    return MARK_BAR;
}

/* "relationship between employee_id and salary": two numbers of any sort. */
static bool
relates_numbers(struct draft *draft)
{
    unsigned numbers = 0;

    if (!(draft->wishes & (WISH_RELATION | WISH_CORRELATION)) || draft->has_count)
        return false;
    for (unsigned i = 0; i < draft->mentions; i++) {
        const struct mention *mention = &draft->mention[i];

        if (mention->is_dropped || is_dimension_place(mention))
            continue;
        if (mention->aggregate != AGG_NONE || role_of(draft, mention) == ROLE_DISCRETE)
            return false;
        numbers += is_free_number(draft, mention);
    }
    return numbers >= 2;
}

static enum plan_mark
infer_mark(struct draft *draft)
{
    struct mention *time = find(draft, is_time, NULL, NULL);
    bool has_aggregate =
        find(draft, is_aggregated, NULL, NULL) || draft->aggregate != AGG_NONE;

    if (draft->wishes & WISH_SHARE && !find(draft, is_binary, NULL, NULL))
        return MARK_PIE;
    if (relates_numbers(draft))
        return MARK_SCATTER;
    if (draft->wishes & WISH_TIME && !draft->has_count &&
        count(draft, is_free_quantity))
        return MARK_LINE;
    if (draft->plan.grain == GRAIN_WEEKDAY ||
        (draft->has_bin && draft->wishes & WISH_COMPARE))
        return MARK_BAR;
    if (!draft->has_count && !has_aggregate && count(draft, is_free_quantity) >= 2)
        return infer_relation(draft);
    if (draft->has_count)
        return time && draft->wishes & WISH_TIME ? MARK_LINE : MARK_BAR;
    if (time && (has_aggregate || count(draft, is_quantity)))
        return MARK_LINE;
    if (time && draft->wishes & WISH_TIME)
        return MARK_LINE;
    return MARK_BAR;
}

/* --- axes --- */

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
    struct mention *x = find(draft, is_on_x, NULL, NULL),
                   *y = find(draft, is_on_y, NULL, NULL);

    if (count(draft, is_free_quantity) < 2) /* ids and codes in the order of speech */
        x = either(x, find(draft, is_free_number, y, NULL));
    x = either(x, find(draft, is_free_quantity, y, NULL));
    x = either(x, find(draft, is_free_number, y, NULL));
    x = either(x, find(draft, is_not_quantity, y, NULL));
    if (count(draft, is_free_quantity) < 2)
        y = either(y, find(draft, is_free_number, x, NULL));
    y = either(y, find(draft, is_free_quantity, x, NULL));
    y = either(y, find(draft, is_free_number, x, NULL));
    y = either(y, draft->has_count ? NULL : find(draft, is_not_quantity, x, NULL));
    cast->series =
        either(find(draft, is_series, x, y), find(draft, is_invited_name, x, y));
    cast->series = either(cast->series, find(draft, is_invited_other, x, y));
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

    cast->measure = find(draft, is_aggregated, NULL, NULL);
    if (draft->has_count && !cast->measure && !find(draft, is_measure, NULL, NULL))
        return;
    cast->measure = either(cast->measure, find(draft, is_measure, NULL, NULL));
    cast->measure = either(cast->measure, find(draft, is_on_y, NULL, NULL));
    cast->measure = either(cast->measure, find(draft, is_plain_quantity, NULL, NULL));
    cast->measure = either(cast->measure, find(draft, is_free_quantity, NULL, NULL));
    if (!cast->measure && live(draft) > 1)
        cast->measure = find(draft, is_likely_measure, NULL, NULL);
    if (!cast->measure && draft->aggregate != AGG_NONE && !draft->has_count)
        cast->measure = add_only_measure(draft);
    if (cast->measure && cast->measure->aggregate == AGG_NONE)
        cast->measure->aggregate = draft->aggregate;
}

static void
pick_dimensions(struct cast *cast)
{
    struct draft *draft = cast->draft;
    const struct mention *y = cast->measure;

    cast->series = find(draft, is_series, y, NULL);
    cast->x = find(draft, is_on_x, y, NULL);
    if (draft->plan.mark == MARK_LINE)
        cast->x = either(cast->x, find(draft, is_time, y, NULL));
    cast->x = either(cast->x, find(draft, is_grouping, y, cast->series));
    cast->x = either(cast->x, find(draft, is_time, y, cast->series));
    cast->x = either(cast->x, find(draft, is_name, y, cast->series));
    cast->x = either(cast->x, find(draft, is_any, y, cast->series));
    if (cast->series == cast->x)
        cast->series = NULL;
    if (!cast->x) {
        cast->x = cast->series;
        cast->series = NULL;
    }
    cast->series = either(cast->series, find(draft, is_invited_name, y, cast->x));
    cast->series = either(cast->series, find(draft, is_invited_other, y, cast->x));
    if (draft->plan.mark == MARK_LINE) /* "sales of categories over time" */
        cast->series = either(cast->series, find(draft, is_small_group, y, cast->x));
    if (!y) /* counts have room for what else was named */
        cast->series = either(cast->series, find(draft, is_pure_name, y, cast->x));
}

/* One quantity and nothing else: how it is distributed. */
static bool
is_histogram(const struct cast *cast)
{
    const struct draft *draft = cast->draft;

    if (!cast->measure || cast->x || cast->measure->aggregate != AGG_NONE)
        return false;
    return is_quantity(draft, cast->measure) ||
           role_of(draft, cast->measure) == ROLE_DISCRETE;
}

static void
count_rows(struct cast *cast)
{
    cast->measure = NULL;
    cast->draft->plan.aggregate = AGG_COUNT;
}

/* What the rows are called: the name among the columns, if they have one. */
static int
label_column(const struct draft *draft)
{
    int best = -1;

    for (int i = 0; i < draft->frame->columns; i++) {
        const struct column *column = draft_column(draft, i);

        if (column->kind != COLUMN_TEXT || !(column->last_flags & FLAG_LABEL))
            continue;
        if (best < 0 || (column->is_unique && !draft_column(draft, best)->is_unique))
            best = i;
    }
    return best;
}

static void
cast_bars(struct cast *cast)
{
    struct draft *draft = cast->draft;
    bool is_count;

    pick_measure(cast);
    pick_dimensions(cast);
    is_count = !cast->measure;
    if (is_histogram(cast) && !(draft->names_rows && label_column(draft) >= 0)) {
        cast->x = cast->measure;
        is_count = true;
    }
    if (is_count)
        count_rows(cast);
    set_axes(cast);
    if (is_count)
        draft->plan.aggregate = AGG_COUNT;
    else if (!cast->x && draft->names_rows)
        draft->plan.x = label_column(draft);
    if (cast->x && is_count && draft->plan.mark == MARK_BAR &&
        role_of(draft, cast->x) == ROLE_QUANTITY)
        draft->plan.mark = MARK_HISTOGRAM;
}

static void
cast_histogram(struct cast *cast)
{
    struct draft *draft = cast->draft;

    if (find(draft, is_aggregated, NULL, NULL) && live(draft) > 1) {
        draft->plan.mark = MARK_BAR;
        cast_bars(cast);
        return;
    }
    cast->x = find(draft, is_on_x, NULL, NULL);
    cast->x = either(cast->x, find(draft, is_free_quantity, NULL, NULL));
    cast->x = either(cast->x, find(draft, is_grouping, NULL, NULL));
    cast->x = either(cast->x, find(draft, is_any, NULL, NULL));
    cast->series = either(find(draft, is_series, cast->x, NULL),
                          find(draft, is_invited_other, cast->x, NULL));
    set_axes(cast);
    draft->plan.aggregate = AGG_COUNT;
    if (cast->x && role_of(draft, cast->x) != ROLE_QUANTITY)
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
    pick_measure(cast);
    pick_dimensions(cast);
    set_axes(cast);
    cast->draft->plan.mark = MARK_BOX;
    cast->draft->plan.aggregate = AGG_NONE;
}

static void
cast_mentions(struct draft *draft)
{
    static void (*const casts[])(struct cast *) = {
        [MARK_NONE] = cast_bars,       [MARK_BAR] = cast_bars,
        [MARK_LINE] = cast_bars,       [MARK_PIE] = cast_bars,
        [MARK_SCATTER] = cast_scatter, [MARK_HISTOGRAM] = cast_histogram,
        [MARK_HEATMAP] = cast_heat,    [MARK_BOX] = cast_box,
    };
    struct cast cast = {.draft = draft};

    casts[draft->plan.mark](&cast);
}

/* --- what was left unsaid --- */

static bool
is_one_row_each(const struct column *column, json_int_t rows)
{
    return column->is_unique ||
           (column->unique < 0 && column->last_flags & FLAG_LABEL) ||
           (rows < 0 && column->last_flags & FLAG_LABEL);
}

static enum plan_aggregate
implied_aggregate(struct draft *draft, int column)
{
    const struct column *y = draft_column(draft, column);
    bool adds = y->flags & FLAG_ADDITIVE && !(y->last_flags & FLAG_INTENSIVE);

    draft->is_aggregate_implied = true;
    draft_note(draft, adds ? "assume.sum" : "assume.mean", y->name, NULL);
    return adds ? AGG_SUM : AGG_MEAN;
}

static void
imply_aggregate(struct draft *draft)
{
    struct plan *plan = &draft->plan;

    if (plan->aggregate != AGG_NONE || plan->y < 0 || plan->x < 0 ||
        plan->mark == MARK_SCATTER || plan->mark == MARK_BOX)
        return;
    const struct column *x = draft_column(draft, plan->x),
                        *y = draft_column(draft, plan->y);
    if (is_one_row_each(x, draft->frame->rows) || y->role == ROLE_KEY ||
        !column_is_number(y))
        return;
    plan->aggregate = implied_aggregate(draft, plan->y);
}

/* Named as it is, and not as "of each …". */
static bool
is_plain(const struct draft *draft, int column)
{
    for (unsigned i = 0; i < draft->mentions; i++)
        if (draft->mention[i].column == column && !draft->mention[i].is_dropped)
            return draft->mention[i].place == PLACE_PLAIN;
    return false;
}

static void
fix_rank(struct draft *draft)
{
    struct plan *plan = &draft->plan;
    bool is_extreme = plan->aggregate == AGG_MAX || plan->aggregate == AGG_MIN;

    if (!draft->wants_rank)
        return;
    if (is_extreme && plan->x >= 0 &&
        (draft->wishes & WISH_WHICH || plan->limit || is_plain(draft, plan->x))) {
        plan->aggregate =
            AGG_NONE; /* "which genre makes most": ranked, not the extreme */
    } else if (is_extreme) {
        return;
    }
    if (!plan->sort || !plan->limit) {
        plan->sort = AXIS_Y;
        plan->is_descending = !draft->rank_is_low;
    }
}

static void
fix_sort(struct draft *draft)
{
    struct plan *plan = &draft->plan;

    if (plan->sort != AXIS_COLUMN)
        return;
    if (plan->sort_column == plan->x)
        plan->sort = AXIS_X;
    else if (plan->sort_column == plan->y)
        plan->sort = AXIS_Y;
    else if (plan->sort_column >= 0 && plan->x >= 0 &&
             draft_column(draft, plan->sort_column)->last_flags & FLAG_LABEL)
        plan->sort = AXIS_X; /* "sorted by name" */
}

static void
fix_layout(struct draft *draft)
{
    struct plan *plan = &draft->plan;

    if (plan->series < 0)
        plan->layout = LAYOUT_NONE;
    else if (plan->mark == MARK_BAR && plan->layout == LAYOUT_NONE)
        plan->layout = plan->aggregate == AGG_COUNT || plan->aggregate == AGG_SUM
                           ? LAYOUT_STACKED
                           : LAYOUT_GROUPED;
    for (unsigned i = 0; i < draft->mentions && plan->series >= 0; i++)
        if (draft->mention[i].place == PLACE_FACET && !draft->mention[i].is_dropped)
            plan->layout = LAYOUT_FACETED;
}

static void
fix_grain(struct draft *draft)
{
    struct plan *plan = &draft->plan;
    const struct column *x = plan->x >= 0 ? draft_column(draft, plan->x) : NULL;

    if (!x || (x->role != ROLE_TIME && !draft->has_bin) ||
        (x->kind == COLUMN_NUMBER && !draft->has_bin))
        plan->grain = GRAIN_NONE;
}

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
    bool is_bare = live(draft) == 0;

    if (wishes & WISH_CHART)
        return INTENT_CHART;
    if (wishes & WISH_COLUMNS && is_bare)
        return INTENT_COLUMNS;
    if (wishes & WISH_MISSING)
        return INTENT_MISSING;
    if (wishes & WISH_DESCRIBE && live(draft) < 2)
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
    return is_bare && plan->filters ? INTENT_ROWS : INTENT_CHART;
}

static void
choose_intent(struct draft *draft)
{
    struct plan *plan = &draft->plan;

    plan->intent = find_intent(draft);
    if (plan->intent == INTENT_CHART)
        return;
    if (plan->intent == INTENT_VALUE && plan->mark == MARK_HISTOGRAM) {
        plan->y = plan->x;
        plan->x = -1;
        plan->aggregate = implied_aggregate(draft, plan->y);
    }
    plan->mark = plan->intent == INTENT_CORRELATION ? MARK_HEATMAP : MARK_NONE;
    if (plan->intent == INTENT_ROWS && plan->y < 0) {
        plan->x = -1; /* "first 5 rows": as they stand */
        plan->sort = AXIS_NONE;
        plan->aggregate = AGG_NONE;
    } else if (plan->intent == INTENT_UNIQUE) {
        plan->x = plan->y;
        plan->y = -1;
        plan->aggregate = AGG_NONE;
    } else if (plan->intent != INTENT_VALUE && plan->intent != INTENT_TABLE) {
        plan->aggregate = AGG_NONE;
    }
}

/* "percentage of survivors by sex": the mean of zeros and ones. */
static void
share_binary(struct draft *draft)
{
    struct mention *binary = find(draft, is_binary, NULL, NULL);

    if (!binary || binary->aggregate != AGG_NONE || live(draft) < 2)
        return;
    binary->aggregate = AGG_MEAN;
    binary->place = PLACE_MEASURE;
}

/* "top 10 films by gross": the films by their names, or their rows. */
static void
name_ranked_rows(struct draft *draft)
{
    struct plan *plan = &draft->plan;
    bool is_free = plan->x < 0 || plan->mark == MARK_HISTOGRAM;

    if (!plan->limit || !is_free || (draft->wishes & WISH_CHART && plan->x < 0))
        return;
    if (plan->mark == MARK_HISTOGRAM) {
        plan->y = plan->x;
        plan->x = -1;
    }
    plan->x = draft->wishes & WISH_ROWS ? -1 : label_column(draft);
    plan->mark = MARK_BAR;
    plan->aggregate = AGG_NONE;
    if (plan->x >= 0 &&
        !is_one_row_each(draft_column(draft, plan->x), draft->frame->rows))
        plan->x = -1;
    if (plan->x < 0 || plan->y < 0) {
        plan->x = -1;
        draft->wishes |= WISH_ROWS;
    }
}

void
draft_fill(struct draft *draft)
{
    struct plan *plan = &draft->plan;
    bool needs_time;

    if (draft->wishes & WISH_SHARE)
        share_binary(draft);
    separate_alternatives(draft);
    merge_twins(draft);
    drop_weak(draft);
    needs_time = draft->wishes & WISH_TIME || plan->mark == MARK_LINE;
    if (needs_time && !find(draft, is_time, NULL, NULL))
        add_time(draft);
    if (draft->has_bin && plan->grain && draft->bin_column >= 0 && !live(draft))
        add_time(draft);
    drop_weak(draft);
    drop_row_names(draft);
    if (plan->mark == MARK_NONE) {
        plan->mark = infer_mark(draft);
        draft->is_mark_implied = true;
    }
    cast_mentions(draft);
    name_ranked_rows(draft);
    fix_rank(draft);
    imply_aggregate(draft);
    fix_sort(draft);
    if (plan->mark == MARK_PIE && plan->series >= 0) {
        plan->mark = MARK_BAR; /* a pie has no room for a second division */
        plan->layout = LAYOUT_STACKED;
    }
    fix_layout(draft);
    fix_grain(draft);
    choose_intent(draft);
}
