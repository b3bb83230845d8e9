/*
 * Several numbers of the same groups, and one number divided by another.
 */
#include "bridge/planner/draft/mention.h"

/* --- ratios --- */

/* What a sum can be divided by: another sum, or how many different keys there are. */
static bool
can_divide(const struct draft *draft, const struct mention *mention, bool is_said)
{
    const struct column *column = draft_column(draft, mention->column);
    bool is_key = column->role == ROLE_KEY || column->last_flags & FLAG_KEY;

    if (is_key)
        return is_said || frame_is_noun(draft->frame, column->words.at[0].stem);
    if (column->kind != COLUMN_NUMBER || column->role == ROLE_TIME)
        return false;
    return is_said ? column->role == ROLE_QUANTITY || column->flags & FLAG_ADDITIVE
                   : column->role == ROLE_QUANTITY || column->flags & FLAG_ADDITIVE;
}

/* "order" is said of the keys of orders, whatever else is called so. */
static void
find_key(const struct draft *draft, struct mention *divisor)
{
    if (draft_column(draft, divisor->column)->kind == COLUMN_NUMBER &&
        draft_column(draft, divisor->column)->role != ROLE_KEY)
        return;
    for (unsigned i = 0; i < divisor->item->links; i++)
        if (draft_column(draft, divisor->item->link[i].column)->last_flags & FLAG_KEY) {
            divisor->column = divisor->item->link[i].column;
            return;
        }
}

static bool
has_term(const struct draft *draft, enum term term)
{
    for (size_t i = 0; i < draft->reading->count; i++)
        if (draft_is_term(draft, i, term))
            return true;
    return false;
}

/* The number that stands before the divisor. */
static struct mention *
dividend_of(struct draft *draft, const struct mention *divisor)
{
    struct mention *found = NULL;

    for (struct mention *at = draft->mention; at < divisor; at++)
        if (!at->is_dropped && at->column != divisor->column &&
            mention_is_free_number(draft, at))
            found = at;
    return found;
}

static void
divide(struct draft *draft, struct mention *dividend, struct mention *divisor)
{
    const struct column *column = draft_column(draft, divisor->column);
    bool is_key = column->role == ROLE_KEY || column->last_flags & FLAG_KEY;

    draft->plan.is_ratio = true;
    draft->plan.per =
        (struct measure){divisor->column, is_key ? AGG_DISTINCT : AGG_SUM};
    dividend->aggregate = AGG_SUM;
    dividend->place = PLACE_MEASURE;
    divisor->is_dropped = true;
    draft_note(draft, "assume.ratio", draft_column(draft, dividend->column)->name,
               column->name);
}

void
draft_ratio(struct draft *draft)
{
    bool is_ratio = has_term(draft, TERM_RATIO);
    bool is_said = is_ratio || has_term(draft, TERM_DIVIDED);

    for (unsigned i = 1; i < draft->mentions && !draft->plan.is_ratio; i++) {
        struct mention *divisor = &draft->mention[i];
        bool may_divide =
            divisor->is_divisor || (is_ratio && !mention_is_dimension_place(divisor));

        if (!may_divide || divisor->is_dropped || !divisor->item)
            continue;
        find_key(draft, divisor);
        if (!can_divide(draft, divisor, is_said))
            continue;
        struct mention *dividend = dividend_of(draft, divisor);
        if (dividend &&
            (dividend->aggregate == AGG_NONE || dividend->aggregate == AGG_SUM ||
             dividend->aggregate == AGG_MEAN))
            divide(draft, dividend, divisor);
    }
}

/* --- several --- */

static bool
is_reduced(const struct mention *mention)
{
    return mention->aggregate != AGG_NONE && mention->aggregate != AGG_COUNT;
}

static bool
has_room(const struct draft *draft)
{
    const struct plan *plan = &draft->plan;

    return (plan->mark == MARK_NONE || plan->mark == MARK_BAR ||
            plan->mark == MARK_LINE) &&
           plan->alsos < MEASURES_MAX && (!draft->wants_rank || plan->limit) &&
           !plan->is_ratio &&
           !(draft->wishes & (WISH_RELATION | WISH_CORRELATION | WISH_SHARE));
}

static void
add(struct draft *draft, int column, enum plan_aggregate aggregate)
{
    if (has_room(draft))
        draft->plan.also[draft->plan.alsos++] = (struct measure){column, aggregate};
}

/* "and" or a comma stands before it, with only small words between. */
static bool
is_listed(const struct draft *draft, const struct mention *mention)
{
    for (const struct item *at = mention->item; at && at > draft->reading->item; at--) {
        if (at[-1].kind == ITEM_COMMA ||
            (at[-1].kind == ITEM_TERM && at[-1].term == TERM_AND))
            return true;
        if (at[-1].kind != ITEM_TERM || at[-1].term != TERM_FILLER)
            return false;
    }
    return false;
}

void
draft_also(struct draft *draft)
{
    struct mention *first = NULL, *last = NULL;

    for (unsigned i = 0; i < draft->mentions && has_room(draft); i++) {
        struct mention *mention = &draft->mention[i];
        bool is_number = column_is_number(draft_column(draft, mention->column)) ||
                         mention->aggregate == AGG_DISTINCT;

        if (mention->is_dropped || !is_number || mention_is_dimension_place(mention) ||
            mention->place == PLACE_VERSUS)
            continue;
        bool follows = last && last + 1 == mention && mention->is_coordinate &&
                       is_listed(draft, mention) &&
                       (mention_is_quantity(draft, mention) ||
                        mention_is_likely_measure(draft, mention));
        if (!first && is_reduced(mention)) {
            first = last = mention;
        } else if (first && (is_reduced(mention) || follows)) {
            add(draft, mention->column,
                is_reduced(mention) ? mention->aggregate : last->aggregate);
            mention->aggregate = draft->plan.also[draft->plan.alsos - 1].aggregate;
            mention->is_dropped = true;
            last = mention;
        }
    }
    if (first && draft->twin != AGG_NONE && draft->twin != first->aggregate) {
        add(draft, first->column, first->aggregate);
        first->aggregate = has_room(draft) ? draft->twin : first->aggregate;
    }
    if (first && draft->has_count && first->aggregate != AGG_DISTINCT)
        add(draft, -1, AGG_COUNT);
}
