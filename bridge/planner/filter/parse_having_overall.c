/* having: groups whose number is above or below that of all rows. */
#include "bridge/planner/filter/parse_having.h"

/* "overall", "the average", "overall alarm rate", "overall one": its last token; -1: it
 * is something else. `of` is what stands before the comparison, the rate too. */
static int
end_of_overall(const struct parser *p, int at, int of, bool is_rate)
{
    const bool is_overall =
        token_is(p, at, TERM_SUM) &&
        lexicon_lists(p->lexicon, "word.overall", p->token[at].text);

    if (!is_overall && !token_is(p, at, TERM_MEAN))
        return -1;
    if (token_is_pronoun(p, at + 1))
        return at + 1;
    if (token_kind(p, at + 1, TOKEN_VALUE) &&
        query_value_is_same(p->token[at + 1].value, p->token[of].value))
        return at + 1 + (is_rate && token_is(p, at + 2, TERM_RATE));
    return is_rate && token_is(p, at + 1, TERM_RATE) ? at + 1 : at;
}

/* Several rows each: what "which shows" asks for, before the comparison. */
static bool
has_groups_before(const struct parser *p, int at)
{
    for (int i = 0; i < at; i++) {
        const struct column *column = token_column(p, i);
        if (column && !column->is_unique && !value_is_quantity(p, p->token[i].value) &&
            !value_is_flag(p, p->token[i].value))
            return true;
    }
    return false;
}

static bool
has_rows_before(const struct parser *p, int at)
{
    for (int i = 0; i < at; i++)
        if (token_kind(p, i, TOKEN_ROWS))
            return true;
    return false;
}

static void
set_overall(struct parser *p, enum query_aggregate reduce, const struct value *of,
            enum plan_operator op)
{
    parse_having_set(p, reduce, of, op, 0);
    p->query->having.is_overall = true;
    parser_note(p, "assume.overall", "", NULL);
}

/* "whose alarm rate is above the overall one" */
static bool
take_rate(struct parser *p, int at, int rate, enum plan_operator op)
{
    const int flag = rate - 1, end = end_of_overall(p, at + 1, flag, true);

    if (end < 0 || !token_kind(p, flag, TOKEN_VALUE) ||
        !value_is_flag(p, p->token[flag].value))
        return false;
    struct test *test = arena_alloc(p->arena, 1, sizeof(*test));
    *test = (struct test){.of = p->token[flag].value, .op = OP_EQ};
    set_overall(p, REDUCE_RATE, test->of, op);
    p->query->having.amount.test = test;
    p->query->having.amount.tests = 1;
    token_use(p, flag, end);
    return true;
}

/* "whose mean rating is above average", "which agents have a rating above average" */
static bool
take_mean(struct parser *p, int at, int column, enum plan_operator op)
{
    const int end = end_of_overall(p, at + 1, column, false);
    const bool is_mean = token_is(p, column - 1, TERM_MEAN);

    if (end < 0 || !token_kind(p, column, TOKEN_VALUE) ||
        !value_is_quantity(p, p->token[column].value) ||
        !(is_mean || !has_rows_before(p, at)))
        return false;
    set_overall(p, REDUCE_MEAN, p->token[column].value, op);
    token_use(p, column - is_mean, end);
    return true;
}

bool
parse_having_overall(struct parser *p, int at)
{
    enum plan_operator op;
    int of = at - 1;

    if (!parse_having_comparison(p, at, &op) || op == OP_EQ)
        return false;
    while (token_is(p, of, TERM_IS) || token_is(p, of, TERM_OF))
        of--;
    if (of < 1 || !token_is_free(p, of) || !has_groups_before(p, of) ||
        !(token_is(p, of, TERM_RATE) ? take_rate(p, at, of, op)
                                     : take_mean(p, at, of, op)))
        return false;
    for (int i = of - 1; i >= 0 && (!token_is_free(p, i) || token_is(p, i, TERM_WITH) ||
                                    token_is(p, i, TERM_WHOSE));
         i--)
        token_use(p, i, i);
    return true;
}

/* "authors with at least 20 ratings" of a rating up to 5: that many of them. */
bool
parse_having_count_of(struct parser *p, int at)
{
    enum plan_operator op;
    const struct column *column = token_column(p, at + 2);

    if (!parse_having_comparison(p, at, &op) || !token_kind(p, at + 1, TOKEN_NUMBER) ||
        !column || !p->token[at + 2].is_plural || column->flags & FLAG_ADDITIVE ||
        !column->has_range || p->token[at + 1].number <= column->high ||
        !value_is_quantity(p, p->token[at + 2].value))
        return false;
    parse_having_set(p, REDUCE_COUNT, p->token[at + 2].value, op,
                     p->token[at + 1].number);
    token_use(p, at, at + 2);
    for (int i = at - 1;
         token_is(p, i, TERM_WITH) || token_is(p, i, TERM_WHOSE) ||
         (token_kind(p, i, TOKEN_VALUE) && token_is(p, i - 1, TERM_ONLY)) ||
         token_is(p, i, TERM_ONLY);
         i--)
        token_use(p, i, i);
    return true;
}
