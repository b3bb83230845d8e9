/* filter: yes and no. */
#include "bridge/planner/filter/parse_conditions.h"
#include "bridge/planner/filter/parse_having.h"

/* "average amount of paid orders": of what they amount to, not a rate. */
static bool
is_mean_amount(const struct parser *p, int at)
{
    const struct item *item = token_is(p, at, TERM_MEAN) ? p->token[at].item : NULL;

    for (size_t i = 0; item && i < item->len; i++)
        if (lexicon_exact(p->lexicon, &p->reading->words, item->begin + i, 1) ==
            TERM_AMOUNT)
            return true;
    return false;
}

static bool
is_grouping(const struct parser *p, int at)
{
    if (is_mean_amount(p, at))
        return false;
    return token_is(p, at, TERM_BY) || token_is(p, at, TERM_PER) ||
           token_is(p, at, TERM_EACH) || token_is(p, at, TERM_OVER) ||
           token_is(p, at, TERM_SERIES) || token_is(p, at, TERM_GROUP_BY) ||
           token_is(p, at, TERM_MEAN) || token_is(p, at, TERM_SUM) ||
           token_is(p, at, TERM_VERSUS) || token_is(p, at, TERM_CORRELATION) ||
           token_is(p, at, TERM_DISTRIBUTION) || token_is(p, at, TERM_WHICH) ||
           token_is(p, at, TERM_TOP);
}

/* "furnished and unfurnished flats": no row is both; two groups. */
static void
join_opposites(struct parser *p)
{
    struct query *query = p->query;
    const struct test *last = &query->test[query->tests - 1];

    for (unsigned i = 0; i + 1 < query->tests; i++) {
        const struct test *test = &query->test[i];

        if (test->operands || last->operands || last->is_or || test->op != OP_EQ ||
            last->op != OP_EQ || test->is_not == last->is_not ||
            !query_value_is_same(test->of, last->of))
            continue;
        parser_add_key(p, last->of);
        query->is_compared = true;
        query->tests--;
        memmove(&query->test[i], &query->test[i + 1],
                (query->tests - 1 - i) * sizeof(query->test[0]));
        memmove(&p->test_at[i], &p->test_at[i + 1],
                (query->tests - 1 - i) * sizeof(p->test_at[0]));
        query->tests--;
        return;
    }
}

/* "stays by residents" of `is_resident`: who did it, not groups. */
static bool
is_agent_at(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    if (!token_is(p, at - 1, TERM_BY) || !p->token[at].is_plural || !column)
        return false;
    for (size_t i = 0; i < column->words.count; i++)
        if (strcmp(column->words.at[i].text, p->token[at].text) == 0)
            return false; /* its own name is a plural */
    return token_flags(p, at) == 0 || token_kind(p, at - 2, TOKEN_ROWS);
}

static void
add_flag(struct parser *p, int at, const struct test *found)
{
    bool is_not = token_is(p, at - 1, TERM_NOT) || token_is(p, at - 1, TERM_EXCEPT) ||
                  (parse_conditions_is_link(p, at - 1) &&
                   (token_is(p, at - 2, TERM_NOT) || token_is(p, at - 2, TERM_EXCEPT)));
    bool is_or = parse_conditions_follows_or(p, at);
    for (int i = at - 1; is_or && i >= 0; i--)
        if (token_is(p, i, TERM_OR)) {
            token_use(p, i, i);
            break;
        }

    /* "gifts vs non gifts": two groups. */
    bool is_and_rest =
        p->wants_compare && token_is(p, at + 1, TERM_AND) &&
        (token_is(p, at + 2, TERM_REST) || token_is(p, at + 2, TERM_NOT));
    /* "paid orders compared to others" */
    int against = at + 1 + token_kind(p, at + 1, TOKEN_ROWS);
    bool is_to_rest =
        token_is(p, against, TERM_VERSUS) && token_is(p, against + 1, TERM_REST);
    if (token_is(p, at + 1, TERM_VERSUS) || token_is(p, at - 1, TERM_VERSUS) ||
        is_and_rest || is_to_rest) {
        parser_add_key(p, found->operands ? value_of_test(p, found) : found->of);
        p->query->is_compared = true;
        int end = is_to_rest ? against : at + 1 + is_and_rest;
        while (token_is(p, end, TERM_VERSUS) || token_is(p, end, TERM_NOT) ||
               token_is(p, end, TERM_REST) ||
               (token_kind(p, end, TOKEN_VALUE) && end > at + 1 &&
                query_value_is_same(p->token[end].value, found->of)) ||
               (token_kind(p, end, TOKEN_UNKNOWN) &&
                (token_is(p, end - 1, TERM_NOT) || token_is(p, end - 1, TERM_VERSUS))))
            end++;
        if (token_kind(p, end - 1, TOKEN_UNKNOWN) && token_is(p, end - 2, TERM_VERSUS))
            parser_note(p, "assume.opposite", token_text(p, end - 1),
                        query_test_name(p->arena, p->frame, found));
        token_use(p, at, end - 1);
        return;
    }
    struct test *test = parser_add_test(p, found->of, found->op);
    *test = *found;
    test->is_not = is_not != found->is_not;
    if (test->is_not && test->op == OP_NOT_NULL) {
        test->op = OP_NULL;
        test->is_not = false;
    }
    test->is_or = is_or;
    join_opposites(p);
    if (is_not)
        token_use(p, parse_conditions_is_link(p, at - 1) ? at - 2 : at - 1, at);
    token_use(p, at, at);
    if (token_is(p, at - 1, TERM_CONTAINS))
        token_use(p, at - 1, at - 1); /* "bookings that include breakfast" */
    parse_conditions_use_lead(p, is_not ? at - 2 : at - 1);
}

/* "ratio of passed to failed": numbers of each, not a condition. */
static bool
is_of_ratio(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_RATIO))
            return true;
    return false;
}

/* "which contract has the lowest churn": the share of rows that have it, and not their
 * number, which "the fewest" asks for. */
static bool
take_ranked_rate(struct parser *p, int at)
{
    bool ranks = token_is(p, at - 1, TERM_HIGH) || token_is(p, at - 1, TERM_LOW);

    if (!ranks || !p->wants_which || !token_kind(p, at, TOKEN_VALUE) ||
        p->token[at].is_plural || !value_is_flag(p, p->token[at].value) ||
        !p->token[at - 1].item->len || strstr(p->token[at - 1].text, "est") == NULL ||
        strcmp(p->token[at - 1].text, "fewest") == 0 ||
        token_kind(p, at + 1, TOKEN_ROWS))
        return false;
    struct test *test = arena_alloc(p->arena, 1, sizeof(*test));
    *test = (struct test){.of = p->token[at].value, .op = OP_EQ};
    struct amount *amount = parser_add_amount(p, REDUCE_RATE, test->of);
    amount->test = test;
    amount->tests = 1;
    parser_note(p, "assume.rate", query_test_name(p->arena, p->frame, test), NULL);
    token_use(p, at, at);
    return true;
}

/* "renewed at least twice" of `renewals` */
static bool
take_times(struct parser *p, int at)
{
    enum plan_operator op = OP_EQ;
    double number;
    int end;
    struct test test;
    const bool compares =
        token_kind(p, at, TOKEN_UNKNOWN) && parse_having_comparison(p, at + 1, &op);

    if (!token_kind(p, at, TOKEN_UNKNOWN) ||
        !parse_having_number(p, at + 1 + compares, &number, &end) ||
        !parser_roots_find(p, p->token[at].text, &test) || test.op != OP_GT ||
        !test.operands || !test.operand[0].is_number)
        return false;
    parser_add_operand(parser_add_test(p, test.of, op),
                       (struct operand){.is_number = true, .number = number});
    parser_note(p, "assume.root", token_text(p, at),
                query_value_name(p->arena, p->frame, test.of));
    token_use(p, at, end);
    parse_conditions_use_lead(p, at - 1);
    return true;
}

/* "results are missing": the number that rows were measured for. */
static bool
take_missing_measure(struct parser *p, int at)
{
    const int column = token_is(p, at, TERM_MISSING) ? parser_roots_measure(p) : -1;
    int rows = at - 1;

    while (token_is(p, rows, TERM_IS))
        rows--;
    if (column < 0 || !token_kind(p, rows, TOKEN_ROWS) ||
        !lexicon_lists(p->lexicon, "word.results", p->token[rows].text))
        return false;
    parser_add_test(p, value_of_column(p, column), OP_NULL);
    parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
    token_use(p, rows + 1, at);
    return true;
}

/* "average BMI of smokers" of `smoker`, which is yes, no or former. */
static bool
take_kin(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);
    const char *yes = NULL;
    size_t i;
    json_t *value;

    if (!column || column->kind != COLUMN_TEXT || column->yes ||
        !p->token[at].is_plural || column->words.count != 1 ||
        !(token_is(p, at - 1, TERM_OF) || token_is(p, at - 1, TERM_HOW_MANY) ||
          token_is(p, at - 1, TERM_FOR)))
        return false;
    json_array_foreach (column->values, i, value)
        if (strcasecmp(json_string_value(value), "yes") == 0)
            yes = json_string_value(value);
    if (!yes || json_array_size(column->values) > 4)
        return false;
    struct test *test = parser_add_test(p, p->token[at].value, OP_EQ);
    parser_add_operand(test, (struct operand){.text = yes});
    parser_note(p, "assume.root", token_text(p, at),
                query_test_name(p->arena, p->frame, test));
    token_use(p, at, at);
    parse_conditions_use_lead(p, at - 1);
    return true;
}

/* "cancelled flights", "who survived", "not returned": no column of numbers is asked.
 */
bool
parse_flags_take(struct parser *p, int at)
{
    struct test found = {.op = OP_EQ};

    if (!token_is_free(p, at) || token_is(p, at + 1, TERM_RATE))
        return false;
    if (take_ranked_rate(p, at) || take_kin(p, at))
        return true;
    if (token_kind(p, at, TOKEN_VALUE) && value_is_flag(p, p->token[at].value)) {
        bool is_agent = is_agent_at(p, at);
        if ((is_grouping(p, at - 1) && !is_agent) ||
            (token_is(p, at - 1, TERM_AND) && p->token[at - 1].is_used))
            return false;
        found.of = p->token[at].value;
        if (is_agent)
            token_use(p, at - 1, at - 1);
    } else if (token_kind(p, at, TOKEN_UNKNOWN) ||
               (token_kind(p, at, TOKEN_ROWS) && !p->token[at].is_noun &&
                (token_is(p, at - 1, TERM_WITH) || token_is(p, at - 1, TERM_WHOSE) ||
                 token_is(p, at - 1, TERM_EXCEPT) || token_is(p, at - 1, TERM_NOT)))) {
        if (is_grouping(p, at - 1) ||
            !parser_roots_find(p, p->token[at].text, &found) || is_of_ratio(p))
            return false;
        if (found.operands || found.op != OP_EQ)
            parser_note(p, "assume.root", token_text(p, at),
                        query_test_name(p->arena, p->frame, &found));
    } else {
        return false;
    }
    p->counts_flag |= p->token[at].is_plural;
    add_flag(p, at, &found);
    return true;
}

void
parse_counted(struct parser *p)
{
    for (p->at = 0; p->at < p->count; p->at++) /* where the tests stand */
        if (token_is_free(p, p->at) && !take_times(p, p->at))
            (void)take_missing_measure(p, p->at);
}
