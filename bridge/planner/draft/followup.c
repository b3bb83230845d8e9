#include "bridge/planner/draft/followup.h"

/* What a question that stands alone does not begin with. */
static const enum term cues[] = {
    TERM_ONLY, TERM_AGAIN, TERM_ALSO, TERM_AS, TERM_INSTEAD, TERM_AND, TERM_NOT,
};

static const enum term leads[] = {
    TERM_ONLY,     TERM_AGAIN, TERM_ALSO,   TERM_AS,        TERM_INSTEAD,
    TERM_AND,      TERM_SORT,  TERM_BY,     TERM_PER,       TERM_NOT,
    TERM_FOR,      TERM_TOP,   TERM_BOTTOM, TERM_IN,        TERM_SERIES,
    TERM_EACH,     TERM_WITH,  TERM_OVER,   TERM_ASCENDING, TERM_DESCENDING,
    TERM_GROUP_BY, TERM_FACET, TERM_SINCE,  TERM_AFTER,     TERM_BEFORE,
};

enum {
    FEW_ITEMS = 4, /* of a change that no word announces */
};

static bool
is_one_of(const struct item *item, const enum term *terms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (item->kind == ITEM_TERM && item->term == terms[i])
            return true;
    return false;
}

static bool
begins_with(const struct reading *reading, const enum term *terms, size_t terms_count)
{
    for (size_t i = 0; i < reading->count && i < 3; i++) {
        const struct item *item = &reading->item[i];

        if (is_one_of(item, terms, terms_count))
            return true;
        if (item->kind != ITEM_TERM ||
            (item->term != TERM_FILLER && item->term != TERM_SHOW))
            return false;
    }
    return false;
}

bool
followup_is_cued(const struct reading *reading)
{
    return begins_with(reading, cues, COUNT_OF(cues));
}

static bool
has_own_subject(const struct draft *draft)
{
    if (draft->has_count)
        return true;
    for (unsigned i = 0; i < draft->mentions; i++)
        if (draft->mention[i].place == PLACE_MEASURE ||
            draft->mention[i].aggregate != AGG_NONE)
            return true;
    return false;
}

bool
followup_is_led(const struct draft *draft)
{
    static const enum term periods[] = {TERM_YEAR, TERM_QUARTER, TERM_MONTH,  TERM_WEEK,
                                        TERM_DAY,  TERM_HOUR,    TERM_WEEKDAY};
    static const enum term splits[] = {
        TERM_BY,  TERM_PER,  TERM_SERIES, TERM_GROUP_BY, TERM_FACET, TERM_IN,
        TERM_FOR, TERM_WITH, TERM_SINCE,  TERM_AFTER,    TERM_BEFORE};

    bool is_led = begins_with(draft->reading, splits, COUNT_OF(splits)) ||
                  begins_with(draft->reading, periods, COUNT_OF(periods));

    for (size_t i = 0; i < draft->reading->count; i++)
        is_led |= draft_is_term(draft, i, TERM_INSTEAD);
    return is_led && !has_own_subject(draft);
}

static unsigned
spoken_mentions(const struct draft *draft)
{
    unsigned count = 0;

    for (unsigned i = 0; i < draft->mentions; i++)
        count += draft->mention[i].item != NULL;
    return count;
}

bool
followup_is_one(const struct draft *draft)
{
    const struct plan *plan = &draft->plan;
    unsigned spoken = spoken_mentions(draft);
    bool changes =
        plan->filters || plan->sort || plan->limit || plan->grain ||
        draft->wishes & (WISH_CHART | WISH_SHARE | WISH_TABLE | WISH_INSTEAD) ||
        draft->aggregate != AGG_NONE;

    if (draft->wishes & WISH_WHICH && spoken > 1)
        return false;
    if (begins_with(draft->reading, leads, COUNT_OF(leads)))
        return !has_own_subject(draft) ? spoken <= 2 : spoken <= 1;
    return spoken == 0 && changes && !has_own_subject(draft) && !draft->wants_rank &&
           draft->reading->count <= FEW_ITEMS;
}

/* --- changes --- */

static void
merge_filters(struct plan *plan, const struct plan *change)
{
    for (unsigned i = 0; i < change->filters; i++) {
        unsigned at = 0;

        while (at < plan->filters &&
               plan->filter[at].column != change->filter[i].column)
            at++;
        if (at == FILTERS_MAX)
            return;
        plan->filter[at] = change->filter[i];
        plan->filters += at == plan->filters;
    }
}

static void
add_dimension(struct draft *draft, struct plan *plan, const struct mention *mention)
{
    bool is_time = draft_column(draft, mention->column)->role == ROLE_TIME;
    bool replaces = draft->wishes & WISH_INSTEAD;

    if (plan->x < 0 || plan->mark == MARK_HISTOGRAM || plan->mark == MARK_NONE)
        replaces = true;
    if (mention->column == plan->x || mention->column == plan->series)
        return;
    if (plan->mark == MARK_SCATTER) {
        plan->series = mention->column;
    } else if (replaces) {
        plan->x = mention->column;
        plan->mark = is_time && plan->y >= 0 ? MARK_LINE : MARK_BAR;
    } else if (is_time && draft_column(draft, plan->x)->role != ROLE_TIME) {
        plan->series = plan->x;
        plan->x = mention->column;
        plan->mark = MARK_LINE;
    } else {
        plan->series = mention->column;
    }
}

/* "what about horsepower": the same of another column. */
static void
replace_subject(struct draft *draft, struct plan *plan, const struct mention *mention)
{
    enum column_role role = draft_column(draft, mention->column)->role;

    if (role == ROLE_QUANTITY && plan->mark == MARK_HISTOGRAM)
        plan->x = mention->column;
    else if (role == ROLE_QUANTITY || (role == ROLE_DISCRETE && plan->y >= 0))
        plan->y = mention->column;
    else
        add_dimension(draft, plan, mention);
    plan->alsos = 0;
    plan->is_ratio = false;
    if (plan->y >= 0 && plan->aggregate == AGG_COUNT && plan->mark != MARK_HISTOGRAM)
        plan->aggregate = AGG_MEAN;
}

static bool
is_dimension(const struct mention *mention)
{
    return mention->place >= PLACE_BY && mention->place != PLACE_VERSUS &&
           mention->place != PLACE_Y;
}

static void
apply_mentions(struct draft *draft, struct plan *plan)
{
    for (unsigned i = 0; i < draft->mentions; i++) {
        const struct mention *mention = &draft->mention[i];

        if (mention->is_dropped)
            continue;
        if (mention->aggregate != AGG_NONE)
            plan->aggregate = mention->aggregate;
        if (mention->item && is_dimension(mention))
            add_dimension(draft, plan, mention);
        else if (mention->item)
            replace_subject(draft, plan, mention);
        else if (draft->wishes & WISH_TIME && plan->x >= 0 &&
                 draft_column(draft, plan->x)->role != ROLE_TIME)
            add_dimension(draft, plan, mention);
    }
}

static void
apply_mark(struct draft *draft, struct plan *plan)
{
    const struct plan *change = &draft->plan;

    if (draft->wishes & WISH_CHART && !draft->is_mark_implied) {
        plan->mark = change->mark;
        plan->intent = INTENT_CHART;
    }
    if (draft->wishes & WISH_SHARE && plan->series < 0)
        plan->mark = MARK_PIE;
    if (plan->mark != MARK_BAR && plan->mark != MARK_LINE && plan->mark != MARK_NONE)
        plan->alsos = 0; /* no panels of pies */
    if (draft->wishes & WISH_TABLE) {
        plan->intent = INTENT_TABLE;
        plan->mark = MARK_NONE;
    }
    if (change->layout != LAYOUT_NONE)
        plan->layout = change->layout;
}

/* "only the top 3" of groups that stand in no order of their numbers. */
static void
rank_groups(const struct draft *draft, struct plan *plan)
{
    bool is_ranked = false, is_low = false;

    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = draft_item(draft, i);
        const struct word *word = &draft->reading->words.at[item->begin];
        bool is_low_here = draft_is_term(draft, i, TERM_BOTTOM);

        if ((!is_low_here && !draft_is_term(draft, i, TERM_TOP)) ||
            lexicon_lists(draft->reading->lexicon, "word.ends", word->text))
            continue;
        is_ranked = true;
        is_low |= is_low_here;
    }
    if (!is_ranked || plan->sort != AXIS_NONE || plan->aggregate == AGG_NONE ||
        plan->x < 0)
        return;
    plan->sort = AXIS_Y;
    plan->is_descending = !is_low;
}

void
followup_apply(struct draft *draft, const struct plan *before)
{
    struct plan plan = *before;
    const struct plan *change = &draft->plan;

    merge_filters(&plan, change);
    apply_mentions(draft, &plan);
    apply_mark(draft, &plan);
    if (draft->aggregate != AGG_NONE && plan.y >= 0)
        plan.aggregate = draft->aggregate;
    if (change->sort) {
        plan.sort = change->sort;
        plan.sort_column = change->sort_column;
        plan.is_descending = change->is_descending;
    }
    if (change->limit) {
        plan.limit = change->limit;
        rank_groups(draft, &plan);
    }
    if (change->grain || draft->asked_grain)
        plan.grain = draft->asked_grain;
    if (plan.mark == MARK_BAR && plan.series >= 0 && plan.layout == LAYOUT_NONE)
        plan.layout = plan.aggregate == AGG_COUNT || plan.aggregate == AGG_SUM
                          ? LAYOUT_STACKED
                          : LAYOUT_GROUPED;
    draft->plan = plan;
    draft_note(draft, "assume.follow", "", NULL);
}
