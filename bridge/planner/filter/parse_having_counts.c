/* having: groups of so many rows, or with so many different things. */
#include "bridge/planner/filter/parse_having.h"

/* "admissions" where rows are those, and a column is half called so. */
static bool
is_weak_noun(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_VALUE) && p->token[at].is_plural &&
           p->token[at].score < 0.8f && !value_is_quantity(p, p->token[at].value) &&
           token_flags(p, at) & FLAG_ROWS;
}

/* "ticket" of `tickets`, whose numbers are in a column `ticket`. */
static bool
is_number_of_row(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    return column && column->is_unique &&
           frame_is_noun(p->frame, p->reading->words.at[p->token[at].item->begin].stem);
}

bool
parse_having_is_rows(const struct parser *p, int at)
{
    return token_names_rows(p, at) || is_weak_noun(p, at) || is_number_of_row(p, at);
}

/* "with three or more orders", "with 200+ orders" */
static bool
take_number_first(struct parser *p, int at)
{
    enum plan_operator op;

    if (token_kind(p, at, TOKEN_NUMBER) && token_kind(p, at + 1, TOKEN_MARK) &&
        p->token[at + 1].text[0] == '+' && token_kind(p, at + 2, TOKEN_ROWS)) {
        parse_having_set(p, REDUCE_COUNT, NULL, OP_GE, p->token[at].number);
        token_use(p, at - token_is(p, at - 1, TERM_WITH), at + 2);
        return true;
    }
    if (!token_kind(p, at, TOKEN_NUMBER) || !parse_having_comparison(p, at + 1, &op) ||
        (op != OP_GE && op != OP_LE) || !parse_having_is_rows(p, at + 2))
        return false;
    parse_having_set(p, REDUCE_COUNT, NULL, op, p->token[at].number);
    token_use(p, at, at + 2);
    if (token_is(p, at - 1, TERM_WITH))
        token_use(p, at - 1, at - 1);
    return true;
}

/* "more than 200 approved permits": which of them stands between. */
static bool
take_count_of_some(struct parser *p, int at)
{
    enum plan_operator op;
    const int rows = at + 3;

    if (!parse_having_comparison(p, at, &op) || !token_kind(p, at + 1, TOKEN_NUMBER) ||
        !token_kind(p, rows, TOKEN_ROWS) || !p->token[rows].is_plural ||
        !(token_kind(p, at + 2, TOKEN_CELL) ||
          (token_kind(p, at + 2, TOKEN_VALUE) &&
           value_is_flag(p, p->token[at + 2].value))))
        return false;
    parse_having_set(p, REDUCE_COUNT, NULL, op, p->token[at + 1].number);
    token_use(p, at, at + 1);
    token_use(p, rows, rows);
    parse_having_use_with(p, at - 1);
    return true;
}

/* "at least 6 awards", "two or more cancellations" of a status: rows that have it. */
static bool
take_count_of_events(struct parser *p, int at)
{
    const bool is_number_first = token_kind(p, at, TOKEN_NUMBER);
    const int number = is_number_first ? at : at + 1, noun = at + 2;
    enum plan_operator op;
    struct test test;

    if (!token_kind(p, number, TOKEN_NUMBER) ||
        !parse_having_comparison(p, is_number_first ? at + 1 : at, &op) ||
        (is_number_first && op != OP_GE && op != OP_LE) ||
        !token_kind(p, noun, TOKEN_UNKNOWN) || !p->token[noun].is_plural ||
        !parser_roots_find(p, p->token[noun].text, &test))
        return false;
    p->at = noun;
    struct test *added = parser_add_test(p, test.of, test.op);
    for (unsigned i = 0; i < test.operands; i++)
        parser_add_operand(added, test.operand[i]);
    parser_note(p, "assume.root", token_text(p, noun),
                query_test_name(p->arena, p->frame, &test));
    parse_having_set(p, REDUCE_COUNT, NULL, op, p->token[number].number);
    token_use(p, at, noun);
    parse_having_use_with(p, at - 1);
    return true;
}

/* "paid late at least once" of a column that counts that: of the rows. */
static bool
take_times(struct parser *p, int at)
{
    const struct column *column = token_column(p, at - 1);
    enum plan_operator op;
    double number;
    int end;

    if (!parse_having_comparison(p, at, &op) || !column || !token_is_free(p, at - 1) ||
        !column->is_integer || column->low < 0 ||
        !value_is_quantity(p, p->token[at - 1].value) ||
        !(token_is(p, at + 1, TERM_ONCE) || token_is(p, at + 1, TERM_TWICE) ||
          token_is(p, at + 2, TERM_TIMES)) ||
        !parse_having_number(p, at + 1, &number, &end))
        return false;
    p->at = at - 1;
    parser_add_operand(parser_add_test(p, p->token[at - 1].value, op),
                       (struct operand){.is_number = true, .number = number});
    token_use(p, at - 1, end);
    return true;
}

/* "tests" of a `test_name`: rows rather than different tests. */
static bool
may_be_rows(const struct parser *p, int at, const struct column *column)
{
    const uint64_t stem = p->reading->words.at[p->token[at].item->begin].stem;

    return p->token[at].score < 0.95f && !(column->flags & FLAG_KEY) &&
           (lexicon_flags(p->lexicon, stem) & FLAG_ROWS) &&
           !(lexicon_flags(p->lexicon, stem) & FLAG_PERSON) &&
           !lexicon_lists_stem(p->lexicon, "word.premises", stem);
}

/* "been", "went": no more than that they were there. */
static bool
is_going(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_UNKNOWN) &&
           (token_flags(p, at) & (FLAG_EVENT | FLAG_STATE) ||
            lexicon_lists(p->lexicon, "word.goes", p->token[at].text));
}

/* The column whose groups have so many: before "with", "have borrowed from", "with
 * songs in"; -1. */
static int
key_before(const struct parser *p, int at)
{
    while (at >= 0 && (token_is(p, at, TERM_WITH) || token_is(p, at, TERM_WHOSE) ||
                       token_is(p, at, TERM_IN) || token_is(p, at, TERM_FROM) ||
                       token_is(p, at, TERM_TO) || token_is(p, at, TERM_IS) ||
                       token_kind(p, at, TOKEN_ROWS) ||
                       token_kind(p, at, TOKEN_COMMA) || is_going(p, at)))
        at--;
    return token_kind(p, at, TOKEN_VALUE) ? at : -1;
}

/* "with more than 50 users", "with three or more different shows": how many different.
 */
static bool
take_distinct(struct parser *p, int at)
{
    const bool is_number_first = token_kind(p, at, TOKEN_NUMBER);
    const int number = is_number_first ? at : at + 1;
    enum plan_operator op;
    const int before = key_before(p, at - 1);
    int of = at + 2;

    if (!token_kind(p, number, TOKEN_NUMBER) ||
        !parse_having_comparison(p, is_number_first ? at + 1 : at, &op) ||
        (is_number_first && op != OP_GE && op != OP_LE))
        return false;
    of += token_is(p, of, TERM_OF); /* "one of our stores" */
    const bool is_different =
        token_is(p, of, TERM_DIFFERENT) || token_is(p, of, TERM_DISTINCT);
    of += is_different;
    const struct column *column = token_column(p, of),
                        *key = before < 0 ? NULL : token_column(p, before);
    if (!column || !key || column == key ||
        (!p->token[of].is_plural && p->token[number].number > 1) ||
        column->kind != COLUMN_TEXT || value_is_quantity(p, p->token[of].value) ||
        column->is_unique || column->yes ||
        (!is_different && may_be_rows(p, of, column)) || key->is_unique ||
        value_is_quantity(p, p->token[before].value))
        return false;
    parse_having_set(p, REDUCE_DISTINCT, p->token[of].value, op,
                     p->token[number].number);
    token_use(p, before + 1, of);
    return true;
}

bool
parse_having_counts(struct parser *p, int at)
{
    enum plan_operator op = OP_EQ;
    double number;
    int end;
    if (take_number_first(p, at) || take_times(p, at) || take_distinct(p, at) ||
        take_count_of_events(p, at))
        return true;
    const bool compares = parse_having_comparison(p, at, &op);
    if (compares && take_count_of_some(p, at))
        return true;
    if (!compares && !token_is(p, at, TERM_ONCE) && !token_is(p, at, TERM_TWICE))
        return false;
    if (!parse_having_number(p, compares ? at + 1 : at, &number, &end))
        return false;
    if (op == OP_GT && token_is(p, at - 1, TERM_NOT))
        op = OP_LE;
    parse_having_set(p, REDUCE_COUNT, NULL, op, number);
    token_use(p, at, end);
    for (int i = at - 1; token_is(p, i, TERM_WITH) || token_is(p, i, TERM_WHOSE) ||
                         token_is(p, i, TERM_IS) || token_is(p, i, TERM_NOT);
         i--)
        token_use(p, i, i);
    return true;
}
