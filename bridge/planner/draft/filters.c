/*
 * Conditions: which rows the question is about.
 */
#include "bridge/planner/draft/filters.h"

struct filter *
filter_add(struct draft *draft, int column, enum plan_operator op)
{
    struct plan *plan = &draft->plan;

    if (plan->filters == FILTERS_MAX)
        return NULL;
    struct filter *filter = &plan->filter[plan->filters++];
    *filter = (struct filter){.column = column, .op = op};
    return filter;
}

void
filter_add_operand(struct filter *filter, struct operand operand)
{
    if (filter && filter->operands < OPERANDS_MAX)
        filter->operand[filter->operands++] = operand;
}

/* --- words around a condition --- */

/* "or" between this condition and the one before it. */
bool
filter_follows_or(const struct draft *draft, size_t at)
{
    for (size_t i = at; i > 0 && i + 12 > at; i--) {
        const struct item *item = draft_item(draft, i - 1);

        if (item->kind == ITEM_TERM && item->term == TERM_OR)
            return true;
        if (item->kind == ITEM_NUMBER || item->kind == ITEM_STOP ||
            (item->kind == ITEM_TERM && item->term == TERM_AND))
            return false;
    }
    return false;
}

/* "unsold", of a date that some rows do not have: that is denied, and no value behind
 * it. */
static bool
may_have_happened(const struct draft *draft, const struct item *item)
{
    const struct column *column = &draft->frame->column[item->link[0].column];

    return column->kind == COLUMN_DATE && column->nulls > 0;
}

bool
filter_is_negated(const struct draft *draft, size_t at)
{
    for (size_t i = at; i > 0 && i + 4 > at; i--) {
        const struct item *item = draft_item(draft, i - 1);

        if (item->kind == ITEM_TERM &&
            (item->term == TERM_NOT || item->term == TERM_EXCEPT))
            return true;
        if (item->kind == ITEM_COLUMN && !may_have_happened(draft, item))
            continue;
        if (item->kind != ITEM_TERM ||
            (item->term != TERM_FILLER && item->term != TERM_IS &&
             item->term != TERM_IN && item->term != TERM_FROM &&
             item->term != TERM_EQUAL))
            return false;
    }
    return false;
}

void
filter_use_negation(struct draft *draft, size_t at)
{
    for (size_t i = at; i > 0 && i + 4 > at; i--)
        if (draft_is_term(draft, i - 1, TERM_NOT) ||
            draft_is_term(draft, i - 1, TERM_EXCEPT)) {
            draft_use(draft, i - 1, at);
            return;
        }
}

enum plan_operator
filter_negate(enum plan_operator op)
{
    static const struct {
        enum plan_operator op, opposite;
    } opposites[] = {
        {OP_EQ,       OP_NE          },
        {OP_GT,       OP_LE          },
        {OP_GE,       OP_LT          },
        {OP_LT,       OP_GE          },
        {OP_LE,       OP_GT          },
        {OP_IN,       OP_NOT_IN      },
        {OP_NULL,     OP_NOT_NULL    },
        {OP_CONTAINS, OP_NOT_CONTAINS},
    };

    for (size_t i = 0; i < COUNT_OF(opposites); i++)
        if (opposites[i].op == op)
            return opposites[i].opposite;
    return op;
}

/* --- nothing there --- */

static void
take_empty(struct draft *draft, size_t at)
{
    for (size_t back = 0, i = at; i > 0 && back < 4; back++, i--) {
        const struct item *item = draft_item(draft, i - 1);

        if (item->kind != ITEM_COLUMN && item->kind != ITEM_TERM)
            return;
        if (item->kind != ITEM_COLUMN || item->is_used)
            continue;
        struct filter *filter =
            filter_add(draft, item->link[0].column,
                       filter_is_negated(draft, at) ? OP_NOT_NULL : OP_NULL);
        if (filter)
            filter->is_or = filter_follows_or(draft, i - 1);
        draft_use(draft, i - 1, at + 1);
        return;
    }
}

/* "flights with no departure time", "without a department" */
static bool
lacks_column(const struct draft *draft, size_t at)
{
    const struct item *item = draft_item(draft, at), *before;
    size_t next = at + 1;

    if (item->kind != ITEM_TERM || item->len != 1 ||
        (item->term != TERM_NOT && item->term != TERM_EXCEPT))
        return false;
    before = at ? draft_item(draft, at - 1) : NULL;
    while (draft_is_term(draft, next, TERM_FILLER))
        next++;
    const struct item *column = draft_item(draft, next);
    const struct item *after = draft_item(draft, next + 1);
    if (!column || column->kind != ITEM_COLUMN || column->is_used)
        return false;
    if (item->term == TERM_NOT && may_have_happened(draft, column))
        return true; /* "unsold flats in Rome" */
    return before && before->kind != ITEM_COLUMN &&
           (!after || after->kind == ITEM_STOP ||
            (after->kind == ITEM_TERM && after->term == TERM_BY));
}

static void
take_lack(struct draft *draft, size_t at)
{
    size_t next = at + 1;

    while (draft_item(draft, next)->kind != ITEM_COLUMN)
        next++;
    filter_add(draft, draft_resolve(draft, draft_item(draft, next), false), OP_NULL);
    draft_use(draft, at, next + 1);
}

/* --- all of them --- */

static enum plan_operator
text_operator(enum term term)
{
    return term == TERM_STARTS ? OP_STARTS : term == TERM_ENDS ? OP_ENDS : OP_CONTAINS;
}

static bool
is_text_test(const struct item *item)
{
    return item->kind == ITEM_TERM &&
           (item->term == TERM_LETTERS || item->term == TERM_CONTAINS ||
            item->term == TERM_STARTS || item->term == TERM_ENDS);
}

void
draft_filters(struct draft *draft)
{
    enum plan_operator op;

    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = draft_item(draft, i);

        if (item->is_used)
            continue;
        if (filter_is_comparison(item, &op))
            filter_take_comparison(draft, i, op);
        else if (is_text_test(item))
            filter_take_text(draft, i, text_operator(item->term));
        else if (draft_is_term(draft, i, TERM_EMPTY))
            take_empty(draft, i);
    }
    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = draft_item(draft, i);

        if (!item->is_used && item->kind == ITEM_NUMBER)
            filter_take_number(draft, i);
        else if (!item->is_used && item->kind == ITEM_VALUE)
            filter_take_value(draft, i);
    }
    for (size_t i = 0; i < draft->reading->count; i++)
        if (!draft_item(draft, i)->is_used && lacks_column(draft, i))
            take_lack(draft, i);
    filter_compare_values(draft);
}
