/* filter: "bookings with kids", "how many orders got a refund": a number above nought.
 */
#include "bridge/planner/filter/parse_comparisons.h"
#include "bridge/planner/filter/parse_conditions.h"

static bool
is_aggregate(const struct parser *p, int at)
{
    return token_is(p, at, TERM_MEAN) || token_is(p, at, TERM_SUM) ||
           token_is(p, at, TERM_MEDIAN) || token_is(p, at, TERM_MAX) ||
           token_is(p, at, TERM_MIN) || token_is(p, at, TERM_HIGH) ||
           token_is(p, at, TERM_LOW);
}

static bool
counts_rows(const struct parser *p, int at)
{
    return token_is(p, at, TERM_HOW_MANY) || token_is(p, at, TERM_COUNT) ||
           token_is(p, at, TERM_SHARE);
}

/* "how many tickets … a refund", and no other number behind it. */
static bool
is_counted(const struct parser *p, int at)
{
    int counted = -1;
    bool has_rows = false;

    for (int i = 0; i < at; i++) {
        if (counts_rows(p, i))
            counted = i;
        else if (counted >= 0 && token_kind(p, i, TOKEN_ROWS))
            has_rows = true;
        else if (!token_is(p, i, TERM_OF) && !token_is(p, i, TERM_IS) &&
                 !token_is(p, i, TERM_WITH) && !token_is(p, i, TERM_WHOSE) && has_rows)
            return false;
    }
    return has_rows;
}

/* "average price of orders with a refund" */
static bool
is_added(const struct parser *p, int at)
{
    bool asks = false;

    if (at + 1 + token_is(p, at + 1, TERM_TO) >=
            p->count - token_kind(p, p->count - 1, TOKEN_STOP) &&
        p->token[at].score < 0.95f && is_counted(p, at))
        return true; /* "how many reviews did we reply to" */
    if (!token_is(p, at - 1, TERM_WITH) && !token_is(p, at - 1, TERM_WHOSE))
        return false;
    for (int i = 0; i < at; i++)
        asks |= counts_rows(p, i) || is_aggregate(p, i);
    return asks &&
           (token_kind(p, at - 2, TOKEN_ROWS) || token_kind(p, at - 2, TOKEN_CELL));
}

/* "how many parcels with a complaint": text that some rows do not have. */
static bool
take_text(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    if (!column || column->kind != COLUMN_TEXT || column->nulls <= 0 ||
        !token_is_free(p, at) || p->token[at].is_plural ||
        value_is_flag(p, p->token[at].value) || column->is_measured ||
        token_kind(p, at + 1, TOKEN_CELL) || token_kind(p, at + 1, TOKEN_VALUE) ||
        token_kind(p, at + 1, TOKEN_UNKNOWN) || token_is(p, at + 1, TERM_OF) ||
        !is_added(p, at) || token_is(p, at - 2, TERM_NOT))
        return false;
    struct test *test = parser_add_test(p, p->token[at].value, OP_NOT_NULL);
    parser_note(p, "assume.root", token_text(p, at),
                query_test_name(p->arena, p->frame, test));
    token_use(p, at, at);
    parse_conditions_use_lead(p, at - 1);
    return true;
}

static bool
is_of_extreme(const struct parser *p, int rows)
{
    for (int i = 0; i < rows; i++)
        if (token_is(p, i, TERM_HIGH) || token_is(p, i, TERM_LOW))
            return true;
    return false;
}

/* "the dearest home sold": and nothing is said of how much for. */
static bool
is_done_to_rows(const struct parser *p, int at)
{
    return token_kind(p, at - 1, TOKEN_ROWS) && is_of_extreme(p, at - 1) &&
           (at + 1 >= p->count || token_is(p, at + 1, TERM_IN) ||
            token_is(p, at + 1, TERM_BY) || token_kind(p, at + 1, TOKEN_STOP));
}

/* "rated bills", where some have no rating: those that have one. */
bool
parse_has_participle(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    if (!column || column->nulls <= 0 ||
        p->reading->words.at[p->token[at].item->begin].superlative ||
        !(token_kind(p, at + 1, TOKEN_ROWS) || is_done_to_rows(p, at)) ||
        !value_is_quantity(p, p->token[at].value) ||
        !(words_ends_in_ed(p->token[at].text) || token_flags(p, at) & FLAG_VERBAL))
        return false;
    parse_conditions_add(p, at, OP_NOT_NULL);
    return true;
}

static bool
speaks_of_rows(const struct parser *p, int before)
{
    for (int i = 0; i < before; i++)
        if (token_kind(p, i, TOKEN_ROWS) || token_is(p, i, TERM_WHICH) ||
            token_is(p, i, TERM_HOW_MANY))
            return true;
    return false;
}

/* "trains that had more passengers than seats": one number of a row against another. */
static bool
take_more_than(struct parser *p, int at)
{
    const int one = at + 1, other = at + 3;

    if (p->is_contest || !token_is(p, at, TERM_MORE) || !token_is_free(p, at) ||
        !speaks_of_rows(p, at) || !token_is(p, at + 2, TERM_THAN) ||
        !token_kind(p, one, TOKEN_VALUE) || !token_kind(p, other, TOKEN_VALUE) ||
        !parse_comparisons_fit(p, one, other) ||
        query_value_is_same(p->token[one].value, p->token[other].value))
        return false;
    const bool is_less = lexicon_lists(p->lexicon, "word.lessers", p->token[at].text);
    if (!is_less && !lexicon_lists(p->lexicon, "word.morers", p->token[at].text))
        return false; /* "better": that depends */
    parser_add_test(p, p->token[one].value, is_less ? OP_LT : OP_GT)->than =
        p->token[other].value;
    token_use(p, at, other);
    parse_conditions_use_lead(p, at - 1);
    return true;
}

/* "how many people were injured" of `num_injured`: they, and no rows. */
static bool
sums_people(struct parser *p, int at, const struct column *column)
{
    int counted = at - 1;

    while (counted > 0 && !token_kind(p, counted, TOKEN_ROWS))
        counted--;
    const bool is_tally =
        column_counts_things(column) ||
        (column->words.count > 1 &&
         lexicon_lists(p->lexicon, "word.counters", column->words.at[0].text));

    if (!is_tally || p->token[counted].is_noun || counted == 0 ||
        !counts_rows(p, counted - 1) || token_is(p, counted - 1, TERM_SHARE) ||
        !(token_flags(p, counted) & FLAG_PERSON) || parse_rows_key(p, counted) >= 0)
        return false;
    parser_add_amount(p, REDUCE_SUM, p->token[at].value);
    parser_note(p, "assume.sum", column->name, NULL);
    token_use(p, counted - 1, at);
    return true;
}

/* "never renewed" of `renewals_count`, "not reviewed": none at all. */
static bool
take_none(struct parser *p, int at)
{
    const int next = at + 1;

    if (!(token_kind(p, at, TOKEN_UNKNOWN) || token_kind(p, at, TOKEN_VALUE)) ||
        !token_is_free(p, at) || !token_is(p, at - 1, TERM_NOT) ||
        !token_is_free(p, at - 1) || p->token[at].item->len != 1 ||
        !words_ends_in_ed(p->token[at].text) || token_kind(p, next, TOKEN_NUMBER) ||
        token_is_bound(p, next))
        return false;
    const int column = value_tally_of(p, p->token[at].text);
    if (column < 0)
        return false;
    struct test *test = parser_add_test(p, value_of_column(p, column), OP_EQ);
    parser_add_operand(test, (struct operand){.is_number = true, .number = 0});
    parser_note(p, "assume.root", token_text(p, at - 1),
                query_test_name(p->arena, p->frame, test));
    token_use(p, at - 1, at);
    parse_conditions_use_lead(p, at - 2);
    return true;
}

bool
parse_has_take(struct parser *p, int at)
{
    if (take_text(p, at) || take_more_than(p, at) || take_none(p, at))
        return true;
    const struct column *column = token_column(p, at);

    if (!column || !token_is_free(p, at) || !value_is_quantity(p, p->token[at].value) ||
        value_is_flag(p, p->token[at].value) || column->is_percent ||
        is_aggregate(p, at - 1))
        return false;
    int next = at + 1;
    bool is_followed =
        token_kind(p, next, TOKEN_NUMBER) || token_is(p, next, TERM_GREATER) ||
        token_is(p, next, TERM_LESS) || token_is(p, next, TERM_BETWEEN) ||
        token_is(p, next, TERM_OVER) || token_is(p, next, TERM_EQUAL) ||
        token_kind(p, next, TOKEN_VALUE);
    bool has_nought = column->has_range ? column->low == 0 : column->is_measured;
    if (is_followed || !(has_nought || column->nulls > 0) ||
        !(is_counted(p, at) || is_added(p, at)))
        return false;
    if (sums_people(p, at, column))
        return true;
    struct test *test =
        parser_add_test(p, p->token[at].value, has_nought ? OP_GT : OP_NOT_NULL);
    if (has_nought)
        parser_add_operand(test, (struct operand){.is_number = true, .number = 0});
    parser_note(p, "assume.root", token_text(p, at),
                query_test_name(p->arena, p->frame, test));
    token_use(p, at, at);
    parse_conditions_use_lead(p, at - 1);
    return true;
}
