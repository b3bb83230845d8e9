/* filter: comparisons that name no column: "warmer than 20", "claims over $10,000". */
#include "bridge/planner/durations/parse_units.h"
#include "bridge/planner/filter/parse_comparisons.h"
#include "bridge/planner/filter/parse_conditions.h"

/* "warmer than 20 degrees": of the one number that has a word for it. */
bool
parse_comparisons_of_quality(struct parser *p, int at, enum plan_operator op)
{
    const int column = token_kind(p, at + 1, TOKEN_NUMBER)
                           ? parser_roots_quality(p, p->token[at].text)
                           : -1;

    if (column < 0)
        return false;
    struct test *test = parser_add_test(p, value_of_column(p, column), op);
    parser_note(p, "assume.column", token_text(p, at), p->frame->column[column].name);
    parse_comparisons_set(p, test, at + 1);
    token_use(p, at, parse_comparisons_unit(p, at + 1));
    parse_conditions_use_lead(p, at - 1);
    return true;
}

/* Compares the number that is meant with the one behind `at`; -1: none is meant. */
static bool
compare_assumed(struct parser *p, int at, enum plan_operator op, int column)
{
    if (column < 0)
        return false;
    parse_comparisons_set(p, parser_add_test(p, value_of_column(p, column), op),
                          at + 1);
    parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
    token_use(p, at, parse_comparisons_unit(p, at + 1));
    parse_conditions_use_lead(p, at - 1);
    return true;
}

/* "CRP results over 10": of the one number that is called no more than a value. */
bool
parse_comparisons_of_measure(struct parser *p, int at, enum plan_operator op)
{
    int before = at - 1;

    while (parse_conditions_is_link(p, before) || token_kind(p, before, TOKEN_ROWS))
        before--;
    int column = token_kind(p, before, TOKEN_CELL) &&
                         token_kind(p, at + 1, TOKEN_NUMBER) &&
                         parse_comparisons_unit(p, at + 1) == at + 1
                     ? parser_roots_measure(p)
                     : -1;
    return compare_assumed(p, at, op, column);
}

static bool
is_about_person(const struct parser *p, int at)
{
    return token_flags(p, at) & FLAG_PERSON;
}

static bool
is_number_called(const struct parser *p, int at, const void *about)
{
    const struct value value = {.kind = VALUE_COLUMN, .column = at};

    return value_is_quantity(p, &value) && !value_is_flag(p, &value) &&
           column_is_called(&p->frame->column[at], p->lexicon, about);
}

/* What a row amounts to, or what it costs: "flats under 500k". */
static int
money_column(struct parser *p, bool is_money)
{
    const int column = parser_roots_amount(p);

    return column >= 0 || !is_money
               ? column
               : value_only_column(p, is_number_called, "word.pricing");
}

/* "claims over $10,000", "homes sold under 500k": of what a row amounts to. */
bool
parse_comparisons_of_amount(struct parser *p, int at, enum plan_operator op)
{
    const bool is_money =
        token_kind(p, at + 1, TOKEN_NUMBER) && parse_units_is_full_money(p, at + 1);
    const struct column *verb = token_column(p, at - 1);
    const bool is_sold =
        is_money && verb && verb->kind == COLUMN_DATE && token_is_free(p, at - 1);
    int before = at - 1 - is_sold;

    while (parse_conditions_is_link(p, before) || token_kind(p, before, TOKEN_CELL) ||
           (is_sold && token_is(p, before, TERM_WHOSE)))
        before--;
    const bool is_said_of_rows = token_kind(p, before, TOKEN_ROWS) &&
                                 (p->token[before].is_noun || is_money) &&
                                 !is_about_person(p, before);
    const int column = is_said_of_rows && token_kind(p, at + 1, TOKEN_NUMBER) &&
                               !parse_units_is_known(p, at + 2)
                           ? money_column(p, is_money)
                           : -1;
    if (!compare_assumed(p, at, op, column))
        return false;
    if (is_sold)
        token_use(p, at - 1, at - 1);
    return true;
}

/* "who scored more than 80", of the one column that is a score. */
bool
parse_comparisons_of_score(struct parser *p, int at, enum plan_operator op)
{
    const size_t bound = p->token[at].item->begin;
    const bool is_scored =
        bound > 0 &&
        lexicon_lists(p->lexicon, "word.scoring", p->reading->words.at[bound - 1].text);
    const int column = is_scored && token_kind(p, at + 1, TOKEN_NUMBER) &&
                               !parse_units_is_known(p, at + 2)
                           ? value_only_column(p, is_number_called, "word.scores")
                           : -1;

    if (!compare_assumed(p, at, op, column))
        return false;
    if (token_kind(p, at - 1, TOKEN_UNKNOWN))
        token_use(p, at - 1, at - 1);
    return true;
}
