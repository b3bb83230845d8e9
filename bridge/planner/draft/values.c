/*
 * Conditions that name a cell's value: "in the west", "excluding furniture".
 */
#include "bridge/planner/draft/filters.h"

/* Which column a value is of, when several have it: one that is named beside it. */
static int
value_column(const struct draft *draft, size_t at, const char **text)
{
    const struct frame *frame = draft->frame;
    const struct item *item = draft_item(draft, at);
    int best = frame->value[item->value].column;

    *text = frame->value[item->value].text;
    for (int v = item->value; v >= 0; v = frame->value[v].next)
        for (size_t i = at > 3 ? at - 3 : 0; i < at + 3; i++) {
            const struct item *near = draft_item(draft, i);

            for (unsigned k = 0; near && near->kind == ITEM_COLUMN && k < near->links;
                 k++)
                if (near->link[k].column == frame->value[v].column) {
                    *text = frame->value[v].text;
                    return frame->value[v].column;
                }
        }
    return best;
}

static bool
names_column(const struct item *item, int column)
{
    for (unsigned k = 0; item && item->kind == ITEM_COLUMN && k < item->links; k++)
        if (item->link[k].column == column && item->link[k].score >= 0.5f)
            return true;
    return false;
}

/* "origin is USA", "the banking industry": the column beside its value is said already.
 */
static void
use_naming(struct draft *draft, size_t at, int column)
{
    if (names_column(draft_item(draft, at + 1), column))
        draft_use(draft, at + 1, at + 2);
    for (size_t i = at; i > 0 && i + 3 > at; i--) {
        const struct item *item = draft_item(draft, i - 1);

        if (names_column(item, column)) {
            draft_use(draft, i - 1, at);
            return;
        }
        if (item->kind != ITEM_TERM ||
            (item->term != TERM_IS && item->term != TERM_EQUAL &&
             item->term != TERM_IN && item->term != TERM_NOT &&
             item->term != TERM_FILLER && item->term != TERM_UNEQUAL))
            return;
    }
}

static struct filter *
filter_of(struct draft *draft, int column, bool is_not)
{
    for (unsigned i = 0; i < draft->plan.filters; i++) {
        struct filter *filter = &draft->plan.filter[i];

        if (filter->column == column &&
            (is_not ? filter->op == OP_NE || filter->op == OP_NOT_IN
                    : filter->op == OP_EQ || filter->op == OP_IN))
            return filter;
    }
    return NULL;
}

void
filter_take_value(struct draft *draft, size_t at)
{
    const char *text;
    int column = value_column(draft, at, &text);
    bool is_not = filter_is_negated(draft, at) ||
                  (at && draft_is_term(draft, at - 1, TERM_UNEQUAL));
    struct filter *filter = filter_of(draft, column, is_not);

    if (filter) {
        filter->op = is_not ? OP_NOT_IN : OP_IN;
    } else {
        filter = filter_add(draft, column, is_not ? OP_NE : OP_EQ);
        if (filter)
            filter->is_or = filter_follows_or(draft, at);
    }
    filter_add_operand(filter, (struct operand){.text = text});
    use_naming(draft, at, column);
    if (is_not)
        filter_use_negation(draft, at);
    draft_use(draft, at, at + 1);
}

/* Naming all values of a column, or several side by side, compares groups. */
void
filter_compare_values(struct draft *draft)
{
    for (unsigned i = 0; i < draft->plan.filters; i++) {
        struct filter *filter = &draft->plan.filter[i];
        const struct column *column = draft_column(draft, filter->column);

        if (filter->op != OP_IN || filter->operands < 2)
            continue;
        struct item *item = draft_item(draft, 0);
        for (size_t k = 0; k < draft->reading->count; k++, item++)
            if (item->kind == ITEM_VALUE &&
                draft->frame->value[item->value].column == filter->column) {
                item->kind = ITEM_COLUMN;
                item->link[0] = (struct link){filter->column, 0.96f};
                item->links = 1;
                item->is_used = false;
            }
        if (column->unique >= 0 && (json_int_t)filter->operands >= column->unique) {
            memmove(filter, filter + 1,
                    (draft->plan.filters - i - 1) * sizeof(*filter));
            draft->plan.filters--;
            i--;
        }
    }
}
