/* filter: columns that have a number, without a word that compares. */
#include "bridge/planner/calendar/calendar.h"
#include "bridge/planner/durations/parse_units.h"
#include "bridge/planner/filter/parse_comparisons.h"
#include "bridge/planner/filter/parse_conditions.h"

/* The tokens from `first` to `last` compare a value with the number at `at`. */
static bool
take(struct parser *p, const struct value *of, enum plan_operator op, int at, int first,
     int last)
{
    parse_comparisons_set(p, parser_add_test(p, of, op), at);
    token_use(p, first, last);
    parse_conditions_use_lead(p, first - 1);
    return true;
}

/* "three-room flats" */
static bool
take_compound(struct parser *p, int at)
{
    if (!token_is_hyphen(p, at + 1) || !token_kind(p, at + 2, TOKEN_VALUE) ||
        !token_is_free(p, at + 2) || !parse_comparisons_fit(p, at + 2, at))
        return false;
    return take(p, p->token[at + 2].value, OP_EQ, at, at, at + 2);
}

/* "one-night stays" */
static void
number_ones(struct parser *p, int at)
{
    if (token_is_pronoun(p, at) && token_is_hyphen(p, at + 1) &&
        token_kind(p, at + 2, TOKEN_VALUE) &&
        value_is_quantity(p, p->token[at + 2].value)) {
        p->token[at].kind = TOKEN_NUMBER;
        p->token[at].number = 1;
    }
}

static bool
is_one(const struct parser *p, int at)
{
    return p->token[at].number >= 1 && p->token[at].number <= 1;
}

/* "bookings with 3 adults" */
static bool
take_counted(struct parser *p, int at)
{
    const struct column *column = token_column(p, at + 1);

    bool has = token_kind(p, at - 1, TOKEN_ROWS) && (p->wants_share || at > 1);

    has |= (token_is(p, at - 1, TERM_HOW_MANY) || token_is(p, at - 1, TERM_SHARE)) &&
           p->token[at].number >= 0 && p->token[at].number <= 0; /* "had zero visits" */
    if (!(token_is(p, at - 1, TERM_WITH) || token_is(p, at - 1, TERM_WHOSE) || has) ||
        !column || !token_is_free(p, at + 1) ||
        !(p->token[at + 1].is_plural || is_one(p, at)) || !column->is_integer ||
        !parse_comparisons_fit(p, at + 1, at))
        return false;
    return take(p, p->token[at + 1].value, OP_EQ, at, at, at + 1);
}

/* "pupils with 100 % attendance" */
static bool
take_percent(struct parser *p, int at)
{
    if (!token_has_percent(p, at) || !token_kind(p, at + 1, TOKEN_VALUE) ||
        !token_is_free(p, at + 1) || !parse_comparisons_fit(p, at + 1, at) ||
        token_is_bound(p, at - 1) || token_is(p, at - 1, TERM_BETWEEN) ||
        token_is(p, at - 1, TERM_AND) || token_is(p, at - 1, TERM_TO) ||
        token_is_extreme(p, at - 1))
        return false;
    return take(p, p->token[at + 1].value, OP_EQ, at, at, at + 1);
}

/* "4 or 5 stars" */
static bool
take_choice(struct parser *p, int at)
{
    if (!token_is(p, at + 1, TERM_OR) || !token_kind(p, at + 2, TOKEN_NUMBER) ||
        !token_kind(p, at + 3, TOKEN_VALUE) || !token_is_free(p, at + 3) ||
        !parse_comparisons_fit(p, at + 3, at) ||
        !parse_comparisons_fit(p, at + 3, at + 2))
        return false;
    (void)take(p, p->token[at + 3].value, OP_IN, at, at, at + 3);
    parse_comparisons_set(p, &p->query->test[p->query->tests - 1], at + 2);
    return true;
}

enum {
    SIZES_MOST = 30, /* different numbers that things come in */
};

/* "a 20 credit course", "2 bedroom flats": things of that size. */
static bool
take_sized(struct parser *p, int at)
{
    const struct column *column = token_column(p, at + 1);
    const size_t begin = p->token[at].item->begin;
    const bool is_thing = token_kind(p, at + 2, TOKEN_ROWS) ||
                          (token_kind(p, at + 2, TOKEN_VALUE) &&
                           !value_is_quantity(p, p->token[at + 2].value) &&
                           !value_is_date(p, p->token[at + 2].value));

    if (!column || p->token[at + 1].is_plural || !column->is_integer || !is_thing ||
        column->unique <= 0 || column->unique > SIZES_MOST || !column->has_range ||
        p->token[at].number < column->low || p->token[at].number > column->high ||
        token_is_bound(p, at - 1) || token_is(p, at - 1, TERM_TOP) ||
        !token_is_free(p, at + 1) || !parse_comparisons_fit(p, at + 1, at))
        return false;
    if (!p->token[at + 2].is_plural && token_kind(p, at + 2, TOKEN_VALUE) &&
        begin > 0 &&
        lexicon_lists(p->lexicon, "word.one_of", p->reading->words.at[begin - 1].text))
        token_drop(p, at + 2, at + 2); /* "a … course": any of them, and no groups */
    return take(p, p->token[at + 1].value, OP_EQ, at, at, at + 1);
}

/* Which column tells rows apart by numbers: of "visit" `visit_no`; -1. */
static int
key_of_rows(const struct parser *p, int at)
{
    uint64_t stem = at < 0 ? 0 : p->reading->words.at[p->token[at].item->begin].stem;
    const struct column *named = token_column(p, at);

    if (named && named->role == ROLE_KEY && named->kind == COLUMN_NUMBER)
        return (int)(named - p->frame->column);
    for (int i = 0; token_kind(p, at, TOKEN_ROWS) && i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        if (column->role == ROLE_KEY && column->kind == COLUMN_NUMBER &&
            column->words.count > 0 && column->words.at[0].stem == stem)
            return i;
    }
    return -1;
}

/* "cost of visit 5017" */
static bool
take_numbered(struct parser *p, int at)
{
    int column = at > 0 && !p->token[at - 1].is_plural ? key_of_rows(p, at - 1) : -1;

    if (column < 0 || at + 1 < p->count)
        return false;
    return take(p, value_of_column(p, column), OP_EQ, at, at - 1, at);
}

/* "6 or more guests" */
static bool
take_bound_of(struct parser *p, int at, enum plan_operator op)
{
    if (op == OP_EQ || !token_kind(p, at + 2, TOKEN_VALUE) ||
        !token_is_free(p, at + 2) || !parse_comparisons_fit(p, at + 2, at))
        return false;
    return take(p, p->token[at + 2].value, op, at, at, at + 2);
}

/* "age 30 to 40" */
static bool
add_range(struct parser *p, struct test *test, int at)
{
    if (!token_is(p, at + 1, TERM_TO) || !token_kind(p, at + 2, TOKEN_NUMBER))
        return false;
    test->op = OP_BETWEEN;
    parse_comparisons_set(p, test, at + 2);
    token_use(p, at + 1, at + 2);
    return true;
}

/* "store 1 and store 2" */
static bool
add_named_again(struct parser *p, struct test *test, const struct value *named, int at)
{
    if (!token_is(p, at + 1, TERM_AND) || !token_kind(p, at + 2, TOKEN_VALUE) ||
        !token_kind(p, at + 3, TOKEN_NUMBER) ||
        !query_value_is_same(p->token[at + 2].value, named))
        return false;
    test->op = OP_IN;
    parse_comparisons_set(p, test, at + 3);
    token_use(p, at + 1, at + 3);
    if (p->wants_compare)
        parser_add_key(p, test->of);
    return true;
}

/* "class 1 or 2" */
static void
add_more_numbers(struct parser *p, struct test *test, int at)
{
    for (int next = at + 1;
         (token_is(p, next, TERM_OR) || token_is(p, next, TERM_AND)) &&
         token_kind(p, next + 1, TOKEN_NUMBER) &&
         !token_is(p, next + 2, TERM_GREATER_EQUAL);
         next += 2) {
        test->op = OP_IN;
        parse_comparisons_set(p, test, next + 1);
        token_use(p, next, next + 1);
    }
}

/* "10 or more", "18 and over": what is said behind the number; OP_EQ: nothing. */
static enum plan_operator
bound_behind(const struct parser *p, int at)
{
    if (token_is(p, at + 1, TERM_GREATER_EQUAL) || calendar_goes_on(p, at + 1))
        return OP_GE;
    return token_is(p, at + 1, TERM_LESS_EQUAL) ? OP_LE : OP_EQ;
}

static bool
is_grouped_or_ranked(const struct parser *p, int column)
{
    return token_is(p, column - 1, TERM_BY) || token_is(p, column - 1, TERM_TOP) ||
           token_is(p, column - 1, TERM_HIGH) || token_is(p, column - 1, TERM_LOW);
}

/* "rating of 5", "age 18", "class 1 or 2", "rating of 4 or more" */
static bool
take_of_column(struct parser *p, int at, enum plan_operator op)
{
    int column = at - 1;

    while (column >= 0 && parse_conditions_is_link(p, column))
        column--;
    if (!token_kind(p, column, TOKEN_VALUE) || p->token[column].is_used ||
        !parse_comparisons_fit(p, column, at) ||
        p->token[column].value->kind != VALUE_COLUMN || is_grouped_or_ranked(p, column))
        return false;
    const struct value *named = p->token[column].value;
    struct test *test = parser_add_test(p, named, op);
    parse_comparisons_set(p, test, at);
    token_use(p, column, at + (op != OP_EQ));
    if (op == OP_EQ && !add_range(p, test, at) && !add_named_again(p, test, named, at))
        add_more_numbers(p, test, at);
    if (op == OP_EQ && at + 1 < p->count && token_is_free(p, at + 1) &&
        parse_units_names_last(p, at + 1, value_column(p, named)))
        token_use(p, at + 1, at + 1); /* "terms of 60 days" of `terms_days` */
    parse_conditions_use_lead(p, column - 1);
    return true;
}

bool
parse_numbers_take(struct parser *p, int at)
{
    number_ones(p, at);
    if (!token_kind(p, at, TOKEN_NUMBER) || !token_is_free(p, at))
        return false;
    if (take_sized(p, at) || take_choice(p, at) || take_compound(p, at) ||
        take_counted(p, at) || take_percent(p, at) || take_numbered(p, at))
        return true;
    enum plan_operator op = bound_behind(p, at);
    return take_bound_of(p, at, op) || take_of_column(p, at, op);
}
