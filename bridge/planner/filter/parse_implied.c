/* filter: money whose column goes without saying: "gifts above £100", "for free". */
#include "bridge/planner/filter/parse_conditions.h"
#include "bridge/planner/filter/parse_having.h"

static bool
is_fee(const struct parser *p, int at, const void *about UNUSED)
{
    const struct value value = {.kind = VALUE_COLUMN, .column = at};
    const struct column *column = &p->frame->column[at];

    return value_is_quantity(p, &value) && column->has_range && column->low == 0 &&
           (column_is_called(column, p->lexicon, "word.charges") ||
            column_is_called(column, p->lexicon, "word.pricing"));
}

static bool
is_in_currency(const struct parser *p, int at, const void *about UNUSED)
{
    const struct value value = {.kind = VALUE_COLUMN, .column = at};

    return value_is_quantity(p, &value) &&
           column_is_in_currency(&p->frame->column[at], p->lexicon);
}

/* "gifts of more than £100", "orders above $50": the one amount of money. */
static bool
take_money(struct parser *p, int at)
{
    enum plan_operator op;

    if (!parse_having_comparison(p, at, &op) || op == OP_EQ || !token_is_free(p, at) ||
        !token_kind(p, at + 1, TOKEN_NUMBER) || !token_has_currency(p, at + 1) ||
        token_has_percent(p, at + 1) || token_kind(p, at - 1, TOKEN_VALUE))
        return false;
    int column = parser_roots_amount(p);
    if (column < 0)
        column = value_only_column(p, is_in_currency, NULL);
    if (column < 0)
        return false;
    struct test *test = parser_add_test(p, value_of_column(p, column), op);
    parser_add_operand(
        test, (struct operand){.is_number = true, .number = p->token[at + 1].number});
    parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
    token_use(p, at - token_is(p, at - 1, TERM_OF), at + 1);
    return true;
}

/* "for free", "free tickets" */
static bool
take_free(struct parser *p, int at)
{
    if (!token_kind(p, at, TOKEN_UNKNOWN) || !token_is_free(p, at) ||
        !lexicon_lists(p->lexicon, "word.free", p->token[at].text))
        return false;
    const int column = value_only_column(p, is_fee, NULL);
    if (column < 0)
        return false;
    struct test *test = parser_add_test(p, value_of_column(p, column), OP_EQ);
    parser_add_operand(test, (struct operand){.is_number = true, .number = 0});
    parser_note(p, "assume.root", token_text(p, at),
                query_test_name(p->arena, p->frame, test));
    token_use(p, at - token_is(p, at - 1, TERM_FOR), at);
    return true;
}

bool
parse_implied_take(struct parser *p, int at)
{
    return take_money(p, at) || take_free(p, at);
}
