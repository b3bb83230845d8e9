/* having: groups of at least n, or whose number is above a bound. */
#include "bridge/planner/filter/parse_having.h"

#include "bridge/planner/durations/parse_units.h"

bool
parse_having_number(const struct parser *p, int at, double *number, int *end)
{
    if (token_is(p, at, TERM_ONCE) || token_is(p, at, TERM_TWICE)) {
        *number = token_is(p, at, TERM_ONCE) ? 1 : 2;
        *end = at;
        return true;
    }
    if (!token_kind(p, at, TOKEN_NUMBER))
        return false;
    *number = p->token[at].number;
    *end = at;
    const int what = at + 1 + token_is(p, at + 1, TERM_OF); /* "3 of their claims" */
    if (token_is(p, at + 1, TERM_TIMES) || parse_having_is_rows(p, what)) {
        *end = what;
        return true;
    }
    return false;
}

bool
parse_having_comparison(const struct parser *p, int at, enum plan_operator *op)
{
    static const struct {
        enum term term;
        enum plan_operator op;
    } terms[] = {
        {TERM_GREATER,       OP_GT},
        {TERM_OVER,          OP_GT},
        {TERM_GREATER_EQUAL, OP_GE},
        {TERM_LESS,          OP_LT},
        {TERM_LESS_EQUAL,    OP_LE},
        {TERM_EQUAL,         OP_EQ},
        {TERM_ONLY,          OP_EQ},
    };

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (token_is(p, at, terms[i].term)) {
            *op = terms[i].op;
            return true;
        }
    return false;
}

void
parse_having_use_with(struct parser *p, int at)
{
    if (token_is(p, at, TERM_WITH) || token_is(p, at, TERM_WHOSE))
        token_use(p, at, at);
}

void
parse_having_set(struct parser *p, enum query_aggregate reduce, const struct value *of,
                 enum plan_operator op, double number)
{
    p->query->having.is_there = true;
    p->query->having.amount = (struct amount){.reduce = reduce, .of = of};
    p->query->having.op = op;
    p->query->having.number = number;
}

/* "with total revenue above 1000", "whose average rating is at least 4" */
static bool
take_reduced(struct parser *p, int at)
{
    enum plan_operator op;
    int column = at - 1;

    if (!parse_having_comparison(p, at, &op) || !token_kind(p, at + 1, TOKEN_NUMBER))
        return false;
    while (token_is(p, column, TERM_IS) || token_is(p, column, TERM_OF))
        column--;
    if (!token_kind(p, column, TOKEN_VALUE) || !token_is_free(p, column))
        return false;
    enum query_aggregate reduce = token_is(p, column - 1, TERM_MEAN)     ? REDUCE_MEAN
                                  : token_is(p, column - 1, TERM_SUM)    ? REDUCE_SUM
                                  : token_is(p, column - 1, TERM_MEDIAN) ? REDUCE_MEDIAN
                                                                         : REDUCE_NONE;
    if (!reduce)
        return false;
    const bool is_unit = parse_units_is(p, at + 2);
    parse_having_set(
        p, reduce, p->token[column].value, op,
        p->token[at + 1].number *
            (is_unit ? parse_units_factor(p, at + 2, p->token[column].value) : 1));
    bool has_unit =
        is_unit || token_is(p, at + 2, TERM_UNIT) ||
        (token_kind(p, at + 2, TOKEN_VALUE) &&
         query_value_is_same(p->token[at + 2].value, p->token[column].value));
    token_use(p, column - 1, at + 1 + has_unit);
    for (int i = column - 2; token_is(p, i, TERM_WITH) || token_is(p, i, TERM_WHOSE);
         i--)
        token_use(p, i, i);
    return true;
}

/* "whose churn rate is above 10 %" */
static bool
take_rate(struct parser *p, int at)
{
    enum plan_operator op;
    int rate = at - 1;

    while (token_is(p, rate, TERM_IS) || token_is(p, rate, TERM_OF))
        rate--;
    if (!parse_having_comparison(p, at, &op) || !token_kind(p, at + 1, TOKEN_NUMBER) ||
        !token_is(p, rate, TERM_RATE) || !token_kind(p, rate - 1, TOKEN_VALUE) ||
        !value_is_flag(p, p->token[rate - 1].value))
        return false;
    struct test *test = arena_alloc(p->arena, 1, sizeof(*test));
    double number = p->token[at + 1].number;

    *test = (struct test){.of = p->token[rate - 1].value, .op = OP_EQ};
    parse_having_set(p, REDUCE_RATE, test->of, op,
                     number > 0 && number < 1 && !p->has_percent ? number * 100
                                                                 : number);
    p->query->having.amount.test = test;
    p->query->having.amount.tests = 1;
    token_use(p, rate - 1, at + 1);
    for (int i = rate - 2; token_is(p, i, TERM_WITH) || token_is(p, i, TERM_WHOSE); i--)
        token_use(p, i, i);
    return true;
}

/* "where more than 40 percent of fields have pests" */
static bool
take_share_of_rows(struct parser *p, int at)
{
    enum plan_operator op;
    const bool is_short = token_kind(p, at + 1, TOKEN_NUMBER) &&
                          token_has_percent(p, at + 1); /* "18% of subjects" */
    const int rows = at + 3 - (is_short && !token_is(p, at + 2, TERM_OF));
    int flag = rows + 1;

    if (!parse_having_comparison(p, at, &op) || !token_kind(p, at + 1, TOKEN_NUMBER) ||
        !(is_short || token_is(p, at + 2, TERM_SHARE)) ||
        !token_kind(p, rows, TOKEN_ROWS))
        return false;
    while (token_is(p, flag, TERM_WITH) || token_is(p, flag, TERM_IS))
        flag++;
    if (!token_kind(p, flag, TOKEN_VALUE) || !value_is_flag(p, p->token[flag].value))
        return false;
    struct test *test = arena_alloc(p->arena, 1, sizeof(*test));
    *test = (struct test){.of = p->token[flag].value, .op = OP_EQ};
    parse_having_set(p, REDUCE_RATE, test->of, op, p->token[at + 1].number);
    p->query->having.amount.test = test;
    p->query->having.amount.tests = 1;
    token_use(p, at, flag);
    for (int i = at - 1; token_is(p, i, TERM_WITH) || token_is(p, i, TERM_WHOSE) ||
                         token_is(p, i, TERM_IN);
         i--)
        token_use(p, i, i);
    return true;
}

/* "whose denial rate is above 20 %": the rate has been read. */
static bool
take_read_rate(struct parser *p, int at)
{
    enum plan_operator op;
    int rate = at - 1;

    while (token_is(p, rate, TERM_IS) || token_is(p, rate, TERM_OF))
        rate--;
    if (!parse_having_comparison(p, at, &op) || !token_kind(p, at + 1, TOKEN_NUMBER) ||
        !token_is(p, rate, TERM_RATE) || token_is_free(p, rate) ||
        p->query->amounts != 1 || p->query->amount[0].reduce != REDUCE_RATE)
        return false;
    double number = p->token[at + 1].number;
    parse_having_set(p, REDUCE_RATE, p->query->amount[0].of, op,
                     number > 0 && number < 1 && !p->has_percent ? number * 100
                                                                 : number);
    p->query->having.amount = p->query->amount[0];
    token_use(p, rate + 1, at + 1);
    for (int i = rate - 1; i >= 0; i--)
        if (token_is(p, i, TERM_WITH) || token_is(p, i, TERM_WHOSE))
            token_use(p, i, i);
    return true;
}

/* "averaging at least 2 goals": of the number that follows. */
static bool
take_reduced_after(struct parser *p, int at)
{
    enum plan_operator op;
    enum query_aggregate reduce = token_is(p, at - 1, TERM_MEAN)     ? REDUCE_MEAN
                                  : token_is(p, at - 1, TERM_SUM)    ? REDUCE_SUM
                                  : token_is(p, at - 1, TERM_MEDIAN) ? REDUCE_MEDIAN
                                                                     : REDUCE_NONE;

    if (!reduce || !parse_having_comparison(p, at, &op) ||
        !token_kind(p, at + 1, TOKEN_NUMBER) || !token_kind(p, at + 2, TOKEN_VALUE) ||
        !value_is_quantity(p, p->token[at + 2].value))
        return false;
    parse_having_set(p, reduce, p->token[at + 2].value, op, p->token[at + 1].number);
    token_use(p, at - 1, at + 2);
    parse_having_use_with(p, at - 2);
    return true;
}

/* "drivers with over 2000 km in total": of the number that has that unit. */
static bool
take_total_of_unit(struct parser *p, int at)
{
    enum plan_operator op;
    int column = parse_units_column(p, at + 2);

    if (column < 0 || !parse_having_comparison(p, at, &op) ||
        !token_kind(p, at + 1, TOKEN_NUMBER) || !token_is(p, at + 3, TERM_SUM))
        return false;
    parse_having_set(p, REDUCE_SUM, value_of_column(p, column), op,
                     p->token[at + 1].number);
    token_use(p, at, at + 3);
    parse_having_use_with(p, at - 1);
    return true;
}

/* "campaigns that cost more than 20,000 euros in total" */
static bool
take_total_before(struct parser *p, int at)
{
    enum plan_operator op;
    const int sum = at + 2 + token_is(p, at + 2, TERM_UNIT);

    if (!token_is(p, sum, TERM_SUM) || !token_kind(p, at + 1, TOKEN_NUMBER) ||
        !parse_having_comparison(p, at, &op) || !token_kind(p, at - 1, TOKEN_VALUE) ||
        !value_is_quantity(p, p->token[at - 1].value) ||
        token_kind(p, sum + 1, TOKEN_VALUE))
        return false;
    parse_having_set(p, REDUCE_SUM, p->token[at - 1].value, op,
                     p->token[at + 1].number);
    token_use(p, at - 1, sum);
    parse_having_use_with(p, at - 2);
    return true;
}

/* "consultants with over 1000 hours" where no row has so many: of all their rows. */
static bool
take_total_beyond(struct parser *p, int at)
{
    const struct column *column = token_column(p, at + 2);
    enum plan_operator op;
    const int with = at - 1, key = at - 2;

    const bool is_beyond =
        token_is(p, at + 3, TERM_SUM) ||
        (column && column->has_range && p->token[at + 1].number > column->high);
    if (!column || !is_beyond || !parse_having_comparison(p, at, &op) ||
        !(op == OP_GT || op == OP_GE) || !token_kind(p, at + 1, TOKEN_NUMBER) ||
        !value_is_quantity(p, p->token[at + 2].value) ||
        !(column->flags & (FLAG_ADDITIVE | FLAG_HOURS | FLAG_MINUTES)) ||
        column->flags & FLAG_INTENSIVE ||
        !(token_is(p, with, TERM_WITH) || token_is(p, with, TERM_WHOSE)) ||
        !token_column(p, key) || token_column(p, key)->is_unique ||
        value_is_quantity(p, p->token[key].value))
        return false;
    parse_having_set(p, REDUCE_SUM, p->token[at + 2].value, op,
                     p->token[at + 1].number);
    const bool is_said = token_is(p, at + 3, TERM_SUM); /* "in total" */
    if (!is_said)
        parser_note(p, "assume.sum", column->name, NULL);
    token_use(p, with, at + 2 + is_said);
    return true;
}

void
parse_having(struct parser *p)
{
    for (int i = 0; i < p->count && !p->query->having.is_there; i++)
        if (token_is_free(p, i) &&
            (parse_having_overall(p, i) || take_rate(p, i) || take_read_rate(p, i) ||
             parse_having_counts(p, i) || take_reduced(p, i) ||
             take_reduced_after(p, i) || take_total_of_unit(p, i) ||
             take_total_before(p, i) || take_total_beyond(p, i) ||
             parse_having_count_of(p, i)))
            return;
}

void
parse_having_shares(struct parser *p)
{
    for (int i = 0; i < p->count && !p->query->having.is_there; i++)
        if (token_is_free(p, i))
            (void)take_share_of_rows(p, i);
}
