/*
 * What a mentioned column could be in a chart.
 */
#include "bridge/planner/draft/mention.h"

enum column_role
mention_role(const struct draft *draft, const struct mention *mention)
{
    return draft_column(draft, mention->column)->role;
}

bool
mention_is_quantity(const struct draft *draft, const struct mention *mention)
{
    const struct column *column = draft_column(draft, mention->column);

    return column->role == ROLE_QUANTITY ||
           (column->is_numeric_text && mention->place == PLACE_MEASURE);
}

bool
mention_is_strong(const struct mention *mention)
{
    return mention->place == PLACE_SERIES || mention->place == PLACE_FACET;
}

bool
mention_is_dimension_place(const struct mention *mention)
{
    return mention->place == PLACE_BY || mention->place == PLACE_EACH ||
           mention->place == PLACE_GROUP || mention->place == PLACE_OVER ||
           mention->place == PLACE_X || mention_is_strong(mention);
}

bool
mention_is_any(const struct draft *draft UNUSED, const struct mention *mention UNUSED)
{
    return true;
}

bool
mention_is_aggregated(const struct draft *draft UNUSED, const struct mention *mention)
{
    return mention->aggregate != AGG_NONE;
}

bool
mention_is_measure(const struct draft *draft UNUSED, const struct mention *mention)
{
    return mention->place == PLACE_MEASURE;
}

bool
mention_is_on_y(const struct draft *draft UNUSED, const struct mention *mention)
{
    return mention->place == PLACE_Y;
}

bool
mention_is_on_x(const struct draft *draft UNUSED, const struct mention *mention)
{
    return mention->place == PLACE_X;
}

bool
mention_is_series(const struct draft *draft UNUSED, const struct mention *mention)
{
    return mention_is_strong(mention);
}

bool
mention_is_time(const struct draft *draft, const struct mention *mention)
{
    return mention_role(draft, mention) == ROLE_TIME;
}

bool
mention_is_binary(const struct draft *draft, const struct mention *mention)
{
    return column_is_binary(draft_column(draft, mention->column)) &&
           !mention_is_dimension_place(mention);
}

bool
mention_is_free_quantity(const struct draft *draft, const struct mention *mention)
{
    return mention_is_quantity(draft, mention) && !mention_is_strong(mention);
}

bool
mention_is_free_number(const struct draft *draft, const struct mention *mention)
{
    const struct column *column = draft_column(draft, mention->column);

    return column_is_number(column) && column->role != ROLE_TIME &&
           !mention_is_dimension_place(mention);
}

/* What may be averaged without being told: not the cylinders of an engine. */
bool
mention_is_likely_measure(const struct draft *draft, const struct mention *mention)
{
    const struct column *column = draft_column(draft, mention->column);

    return mention_is_free_number(draft, mention) && !mention->is_counted &&
           (column->role != ROLE_DISCRETE ||
            column->flags & (FLAG_ADDITIVE | FLAG_INTENSIVE));
}

/* Said to be part of the chart, and not of what its rows are. */
bool
mention_is_invited(const struct draft *draft UNUSED, const struct mention *mention)
{
    return mention_is_dimension_place(mention) || !mention->is_owner;
}

bool
mention_is_invited_name(const struct draft *draft, const struct mention *mention)
{
    return mention_is_invited(draft, mention) &&
           mention_role(draft, mention) == ROLE_NOMINAL;
}

bool
mention_is_invited_other(const struct draft *draft, const struct mention *mention)
{
    return mention_is_invited(draft, mention) && !mention_is_quantity(draft, mention);
}

bool
mention_is_plain_quantity(const struct draft *draft, const struct mention *mention)
{
    return mention_is_quantity(draft, mention) && !mention_is_dimension_place(mention);
}

bool
mention_is_name(const struct draft *draft, const struct mention *mention)
{
    enum column_role role = mention_role(draft, mention);

    return role == ROLE_NOMINAL || role == ROLE_DISCRETE || role == ROLE_KEY;
}

bool
mention_is_pure_name(const struct draft *draft, const struct mention *mention)
{
    return mention_role(draft, mention) == ROLE_NOMINAL;
}

bool
mention_is_grouping(const struct draft *draft, const struct mention *mention)
{
    return mention_is_dimension_place(mention) && !mention_is_strong(mention) &&
           mention_role(draft, mention) != ROLE_QUANTITY;
}

bool
mention_is_not_quantity(const struct draft *draft, const struct mention *mention)
{
    return !mention_is_quantity(draft, mention) && !mention_is_strong(mention);
}

/* Few enough to be lines of one chart. */
bool
mention_is_small_group(const struct draft *draft, const struct mention *mention)
{
    const struct column *column = draft_column(draft, mention->column);

    return column->role == ROLE_NOMINAL && !column->is_unique && column->unique >= 0 &&
           column->unique <= 30;
}

/* --- among all of them --- */

struct mention *
mention_find(struct draft *draft, mention_test *wanted, const struct mention *not_a,
             const struct mention *not_b)
{
    for (unsigned i = 0; i < draft->mentions; i++) {
        struct mention *mention = &draft->mention[i];

        if (!mention->is_dropped && mention != not_a && mention != not_b &&
            wanted(draft, mention))
            return mention;
    }
    return NULL;
}

unsigned
mention_count(struct draft *draft, mention_test *wanted)
{
    unsigned found = 0;

    for (unsigned i = 0; i < draft->mentions; i++)
        found += !draft->mention[i].is_dropped && wanted(draft, &draft->mention[i]);
    return found;
}

unsigned
mention_live(const struct draft *draft)
{
    unsigned alive = 0;

    for (unsigned i = 0; i < draft->mentions; i++)
        alive += !draft->mention[i].is_dropped;
    return alive;
}
