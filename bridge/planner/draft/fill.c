/*
 * From mentions to a plan: the steps, and what was left unsaid.
 */
#include "bridge/planner/draft/mention.h"

/* --- what the question leaves unsaid --- */

/* What the rows are called: the name among the columns, if they have one. */
int
draft_label_column(const struct draft *draft)
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

bool
draft_is_row_each(const struct column *column, json_int_t rows)
{
    return column->is_unique ||
           (column->unique < 0 && column->last_flags & FLAG_LABEL) ||
           (rows < 0 && column->last_flags & FLAG_LABEL);
}

struct mention *
draft_add_time(struct draft *draft)
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

enum plan_aggregate
draft_imply_aggregate(struct draft *draft, int column)
{
    const struct column *y = draft_column(draft, column);
    bool adds = (y->flags & FLAG_ADDITIVE && !(y->last_flags & FLAG_INTENSIVE)) ||
                column_counts_things(y);

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
    const bool is_period = plan->grain != GRAIN_NONE; /* of times that differ all */
    if ((!is_period && draft_is_row_each(x, draft->frame->rows)) ||
        y->role == ROLE_KEY || !column_is_number(y))
        return;
    plan->aggregate = draft_imply_aggregate(draft, plan->y);
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

/* Lines over time go on as time does, whichever series is the highest. */
static void
drop_sort_of_lines(struct plan *plan, const struct draft *draft)
{
    if (plan->sort == AXIS_Y && plan->mark == MARK_LINE && plan->series >= 0 &&
        plan->x >= 0 && draft_column(draft, plan->x)->role == ROLE_TIME)
        plan->sort = AXIS_NONE;
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

/* "percentage of survivors by sex": the mean of zeros and ones. */
static void
share_binary(struct draft *draft)
{
    struct mention *binary = mention_find(draft, mention_is_binary, NULL, NULL);

    if (!binary || binary->aggregate != AGG_NONE || mention_live(draft) < 2)
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

    if (draft->rank.column >= 0) {
        plan->x = plan->series = -1;
        plan->y = draft->rank.column;
        plan->mark = MARK_NONE;
        is_free = true;
        if (plan->limit == 1 || !column_is_number(draft_column(draft, plan->y)) ||
            draft_column(draft, plan->y)->role == ROLE_TIME)
            draft->wishes |= WISH_ROWS;
    }

    if (!plan->limit || !is_free || (draft->wishes & WISH_CHART && plan->x < 0))
        return;
    if (plan->mark == MARK_HISTOGRAM) {
        plan->y = plan->x;
        plan->x = -1;
    }
    plan->x = draft->wishes & WISH_ROWS ? -1 : draft_label_column(draft);
    plan->mark = MARK_BAR;
    plan->aggregate = AGG_NONE;
    if (plan->x >= 0 &&
        !draft_is_row_each(draft_column(draft, plan->x), draft->frame->rows))
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
    draft_ratio(draft);
    draft_merge_mentions(draft);
    draft_also(draft);
    needs_time = draft->wishes & WISH_TIME || plan->mark == MARK_LINE;
    if (needs_time && !mention_find(draft, mention_is_time, NULL, NULL))
        draft_add_time(draft);
    if (draft->has_bin && plan->grain && draft->bin_column >= 0 && !mention_live(draft))
        draft_add_time(draft);
    draft_drop_mentions(draft);
    if (plan->mark == MARK_NONE) {
        plan->mark = draft_infer_mark(draft);
        draft->is_mark_implied = true;
    }
    draft_cast(draft);
    name_ranked_rows(draft);
    fix_rank(draft);
    imply_aggregate(draft);
    fix_sort(draft);
    drop_sort_of_lines(plan, draft);
    if (plan->mark == MARK_PIE && plan->series >= 0) {
        plan->mark = MARK_BAR; /* a pie has no room for a second division */
        plan->layout = LAYOUT_STACKED;
    }
    fix_layout(draft);
    fix_grain(draft);
    draft_choose_intent(draft);
}
