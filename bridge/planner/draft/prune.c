/*
 * Which mentions count: twins, faint ones and names of the rows do not.
 */
#include "bridge/planner/draft/mention.h"

static bool
outranks(const struct mention *a, const struct mention *b)
{
    if ((a->place == PLACE_MEASURE) != (b->place == PLACE_MEASURE))
        return a->place == PLACE_MEASURE;
    if (mention_is_strong(a) != mention_is_strong(b))
        return mention_is_strong(a);
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
            if (outranks(b, a) &&
                !(mention_is_dimension_place(a) && mention_is_strong(b)))
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

/* "model weights", "models by weight", and not "name and weight" */
static bool
is_beside_number(const struct draft *draft, unsigned at)
{
    const struct mention *next = &draft->mention[at + 1];

    return at + 1 < draft->mentions && !next->is_dropped && !next->is_coordinate &&
           mention_role(draft, next) == ROLE_QUANTITY;
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
           !mention_is_dimension_place(mention) &&
           (draft->plan.filters || draft->plan.limit || draft->has_count ||
            draft->plan.sort == AXIS_COLUMN);
}

/* "for each model", "count of titles": the rows themselves, not an axis. */
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
        if (mention->is_dropped || mention_live(draft) < 2)
            continue;
        if (is_key(column) && mention->score < 0.65f &&
            !mention_is_dimension_place(mention)) {
            mention->is_dropped = true;
            continue;
        }
        if (names_rows && mention->place == PLACE_PLAIN && is_beside_number(draft, i)) {
            mention->is_dropped = true;
            continue;
        }
        if (mention->aggregate == AGG_DISTINCT)
            continue;
        if (mention->place == PLACE_COUNTED && (names_rows || mention_live(draft) > 1))
            mention->is_dropped = true;
        else if (names_rows && mention_live(draft) > 2)
            mention->is_dropped = true;
        else if (names_rows && draft->has_count)
            mention->is_dropped = true;
    }
}

/* A faint resemblance is not a mention when there are better ones. */
static void
drop_weak(struct draft *draft)
{
    for (unsigned i = 0; i < draft->mentions; i++)
        if (draft->mention[i].score < 0.5f &&
            (mention_live(draft) > 1 ||
             draft->wishes & (WISH_DESCRIBE | WISH_MISSING | WISH_ROWS)))
            draft->mention[i].is_dropped = true;
}

void
draft_merge_mentions(struct draft *draft)
{
    separate_alternatives(draft);
    merge_twins(draft);
    drop_weak(draft);
}

void
draft_drop_mentions(struct draft *draft)
{
    drop_weak(draft);
    drop_row_names(draft);
}
