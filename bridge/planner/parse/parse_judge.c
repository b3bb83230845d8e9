/* What cannot be worked out. */
#include "bridge/planner/tokens/parser.h"

/* --- columns that no program can use --- */

static void
check_column(struct parser *p, int at)
{
    const struct column *column = &p->frame->column[at];

    if (column->kind == COLUMN_OTHER)
        parser_refuse(p, "refuse.other", column->name);
    else if (p->frame->rows > 0 && column->nulls >= p->frame->rows)
        parser_refuse(p, "refuse.void", column->name);
}

static void check_tests(struct parser *p, const struct test *test, unsigned tests);

static void
check_value(struct parser *p, const struct value *value)
{
    if (!value)
        return;
    if (value->kind == VALUE_COLUMN)
        check_column(p, value->column);
    const struct column *dates =
        value->kind == VALUE_PART ? value_column(p, value->left) : NULL;
    if (dates && dates->has_no_clock && value->part == PART_HOUR)
        parser_refuse(p, "refuse.noclock", dates->name);
    if (dates && dates->is_clock && value->part != PART_HOUR)
        parser_refuse(p, "refuse.nodays", dates->name);
    check_value(p, value->left);
    check_value(p, value->right);
    check_tests(p, value->test, value->tests);
}

static void
check_tests(struct parser *p, const struct test *test, unsigned tests)
{
    for (unsigned i = 0; test && i < tests; i++) {
        if (test[i].than && query_value_is_same(test[i].of, test[i].than))
            parser_refuse(p, "refuse.two", "");
        check_value(p, test[i].of);
        check_value(p, test[i].than);
    }
}

static void
check_amount(struct parser *p, const struct amount *amount)
{
    const struct column *column = amount->of ? value_column(p, amount->of) : NULL;

    if (column && column->is_clock && amount->of->kind == VALUE_COLUMN &&
        amount->reduce != REDUCE_COUNT && amount->reduce != REDUCE_DISTINCT)
        parser_refuse(p, "refuse.nodays", column->name);
    check_value(p, amount->of);
    check_value(p, amount->with);
    check_value(p, amount->each);
    check_tests(p, amount->test, amount->tests);
    if (amount->per)
        check_amount(p, amount->per);
}

static void
check_columns(struct parser *p)
{
    const struct query *query = p->query;

    if (p->frame->rows == 0 || p->frame->columns == 0)
        parser_refuse(p, "refuse.norows", p->frame->name);
    for (unsigned i = 0; i < query->keys; i++)
        check_value(p, query->key[i]);
    for (unsigned i = 0; i < query->amounts; i++)
        check_amount(p, &query->amount[i]);
    if (query->having.is_there)
        check_amount(p, &query->having.amount);
    check_value(p, query->having.of);
    check_value(p, query->top.of);
    check_value(p, query->rank.by);
    check_tests(p, query->test, query->tests);
    check_tests(p, query->part, query->parts);
}

/* --- what contradicts itself --- */

static bool
is_same_operand(const struct operand *a, const struct operand *b)
{
    if (a->is_number != b->is_number)
        return true; /* not known to differ */
    return a->is_number ? !(a->number < b->number) && !(a->number > b->number)
                        : strcmp(a->text, b->text) == 0;
}

/* "junior and lead" of one column, "May 2023 against May 2024": no row is both. */
static void
check_contrary(struct parser *p)
{
    const struct query *query = p->query;

    for (unsigned i = 1; i < query->tests; i++)
        for (unsigned k = 0; k < i; k++) {
            const struct test *a = &query->test[k], *b = &query->test[i];

            bool is_apart = a->op == OP_EQ && b->op == OP_EQ && a->operands == 1 &&
                            b->operands == 1 && !a->is_not && !b->is_not && !b->is_or &&
                            query_value_is_same(a->of, b->of);

            if (a->is_not != b->is_not && !b->is_or && !a->operands && !b->operands &&
                a->of->kind == VALUE_PART && query_value_is_same(a->of, b->of))
                parser_refuse(p, "refuse.contrary", /* "at weekends", "on weekdays" */
                              query_value_name(p->arena, p->frame, a->of));
            if (is_apart && !is_same_operand(&a->operand[0], &b->operand[0]))
                parser_refuse(
                    p, "refuse.contrary",
                    b->operand[0].is_number
                        ? arena_printf(p->arena, "%.12g", b->operand[0].number)
                        : b->operand[0].text);
        }
}

/* Steps along time have an order, and the best of each group one number. */
static void
check_ranks(struct parser *p)
{
    const struct query *query = p->query;

    if (query->move && (query->having.is_there || query->share || query->along ||
                        query->amounts != 1 || query->keys > 2))
        parser_refuse(p, "refuse.difference", "");
    if (p->rank_at >= 0 && token_kind(p, p->rank_at + 1, TOKEN_ROWS) &&
        query->amounts && query->amount[0].reduce == REDUCE_COUNT &&
        lexicon_lists(p->lexicon, "word.utmost", p->token[p->rank_at].text))
        parser_refuse(p, "refuse.word",
                      token_text(p, p->rank_at)); /* "longest loans" */
    const struct column *only =
        query->keys == 1 ? value_column(p, query->key[0]) : NULL;
    if (only && query->key[0]->kind == VALUE_COLUMN && only->is_unique &&
        only->nulls == 0 && query->rank.is_there && query->amounts == 1 &&
        !query->tests && query->amount[0].reduce == REDUCE_COUNT &&
        !query->amount[0].of && !query->amount[0].per)
        parser_refuse(p, "refuse.rankless", ""); /* each has one row: "best 3 pupils" */
    if (query->rank.is_within && query->rank.is_percent)
        parser_refuse(p, "refuse.word", "%");
    if (query->rank.is_within && query->amounts > 1)
        parser_refuse(p, "refuse.rankless", "");
    if (query->along && query->keys > 1 && (query->rank.is_there || query->is_sorted))
        parser_refuse(p, "refuse.along", "");
}

/* Of groups, along time, the most of them: outliers are rows, and no more is made of
 * them. */
static void
check_outliers(struct parser *p)
{
    const struct query *query = p->query;

    if (query->shape == SHAPE_OUTLIERS &&
        (query->keys || query->amounts > 1 || query->rank.is_there || query->along ||
         query->share || query->having.is_there || p->has_explicit_chart))
        parser_refuse(p, "refuse.outliers", "");
}

/* Whether a number is the other table's alone, or has such a number added: then it
 * would count once for each row. Not so an amount times the other table's rate. */
static bool
is_of_other_table(const struct parser *p, const struct value *value)
{
    if (!value || value->kind == VALUE_NUMBER)
        return false;
    if (value->kind == VALUE_COLUMN)
        return frame_is_joined_column(p->frame, value->column);
    const bool left = is_of_other_table(p, value->left),
               right = is_of_other_table(p, value->right);
    if (value->kind == VALUE_ARITHMETIC && (value->op == '+' || value->op == '-'))
        return left || right;
    return (left || !value->left || value->left->kind == VALUE_NUMBER) &&
           (right || !value->right || value->right->kind == VALUE_NUMBER) &&
           (left || right);
}

static void
check_joined_amount(struct parser *p, const struct amount *amount)
{
    if (amount->reduce != REDUCE_MIN && amount->reduce != REDUCE_MAX &&
        amount->reduce != REDUCE_DISTINCT && amount->reduce != REDUCE_RATE &&
        is_of_other_table(p, amount->of))
        parser_refuse(p, "refuse.joined",
                      query_value_name(p->arena, p->frame, amount->of));
}

/* "total credit limit" of invoices and clients: each as often as there are invoices. */
static void
check_joined(struct parser *p)
{
    const struct query *query = p->query;

    for (unsigned i = 0; i < query->amounts; i++) {
        check_joined_amount(p, &query->amount[i]);
        if (query->amount[i].per)
            check_joined_amount(p, query->amount[i].per);
    }
    if (query->having.is_there)
        check_joined_amount(p, &query->having.amount);
}

/* "where do guests come from", "did sales rise": no list of rows answers that. */
static void
check_rows(struct parser *p)
{
    const char *asks = lexicon_say(p->lexicon, p->arena, "word.asks", NULL, 0);
    struct words known = words_split(p->arena, slice_of(asks ? asks : ""), 32);

    for (size_t i = 0; i < known.count && p->reading->words.count; i++)
        p->asks_more |= strcmp(known.at[i].text, p->reading->words.at[0].text) == 0;
    if (p->asks_more && p->query->shape == SHAPE_ROWS && !p->query->rank.by)
        parser_refuse(p, "refuse.word", p->reading->words.at[0].text);
}

/* "between disputed and undisputed invoices", of which one side alone was read. */
static void
check_sides(struct parser *p)
{
    const struct query *query = p->query;

    for (unsigned k = 0; k < query->keys; k++)
        for (unsigned i = 0; i < query->tests; i++)
            if (value_is_flag(p, query->key[k]) &&
                query_value_is_same(query->test[i].of, query->key[k]))
                parser_refuse(p, "refuse.difference", "");
    for (int i = 0; i < p->count && query->shape == SHAPE_NUMBER; i++)
        if (token_is(p, i, TERM_COMPARE) && query->amounts == 1)
            parser_refuse(p, "refuse.difference", ""); /* "compare paid and unpaid" */
}

/* "did revenue in 2024 beat 2023": two years to compare, and no rows of both. */
static void
check_years(struct parser *p)
{
    const struct query *query = p->query;
    const struct value *year = NULL, *bound = NULL;

    for (unsigned i = 0; i < query->tests && parser_asks_whether(p); i++) {
        const struct test *test = &query->test[i];

        if (test->of->kind == VALUE_PART && test->of->part == PART_YEAR)
            year = test->of->left;
        else if (test->op == OP_GE || test->op == OP_GT || test->op == OP_LE ||
                 test->op == OP_LT)
            bound = test->of;
    }
    if (year && bound && query_value_is_same(year, bound))
        parser_refuse(p, "refuse.word", p->reading->words.at[0].text);
}

/* "how many orders had a discount": not their number, and its mean beside it. */
static void
check_amounts(struct parser *p)
{
    const struct query *query = p->query;
    bool counts = false, joins = false;

    for (int i = 0; i < p->count; i++) {
        joins |= token_is(p, i, TERM_AND) || token_kind(p, i, TOKEN_COMMA) ||
                 token_is(p, i, TERM_WITH);
        counts |= token_is(p, i, TERM_HOW_MANY);
    }
    for (unsigned i = 0; counts && !joins && query->amounts > 1 && i < query->amounts;
         i++)
        if (query->amount[i].is_implied && query->amount[i].of)
            parser_refuse(p, "refuse.word",
                          query_value_name(p->arena, p->frame, query->amount[i].of));
}

/* "average tip among those who tip": the second time it is not a number, but says
 * which rows are meant. */
static void
check_repeated(struct parser *p)
{
    const struct query *query = p->query;

    for (unsigned i = 1; i < query->amounts; i++)
        for (unsigned k = 0; k < i; k++)
            if (query->amount[i].is_implied && query->amount[i].of &&
                query->amount[k].of &&
                query_value_is_same(query->amount[i].of, query->amount[k].of))
                parser_refuse(
                    p, "refuse.word",
                    query_value_name(p->arena, p->frame, query->amount[i].of));
}

/* What share of the returned orders was returned: all of them, and nobody asks that. */
static void
check_rates(struct parser *p)
{
    const struct query *query = p->query;

    for (unsigned i = 0; i < query->amounts; i++) {
        const struct amount *amount = &query->amount[i];

        for (unsigned k = 0;
             amount->reduce == REDUCE_RATE && amount->tests == 1 && k < query->tests;
             k++)
            if (query_value_is_same(query->test[k].of, amount->test->of) &&
                query->test[k].op == amount->test->op && !query->test[k].operands &&
                !amount->test->operands && !query->test[k].is_not)
                parser_refuse(p, "refuse.share", "");
    }
}

/* "the top 10 % of each year": so many of each are not worked out. */
static void
check_top(struct parser *p)
{
    const struct query *query = p->query;

    if (query->share == SHARE_TOP && query->keys &&
        (query->keys > 1 || query->top.is_percent || !query->top.of))
        parser_refuse(p, "refuse.share", "");
}

void
parse_judge(struct parser *p)
{
    check_top(p);
    check_amounts(p);
    check_rates(p);
    check_repeated(p);
    check_outliers(p);
    check_joined(p);
    check_rows(p);
    check_years(p);
    check_sides(p);
    check_contrary(p);
    check_ranks(p);
    check_columns(p);
    parse_weigh(p);
}
