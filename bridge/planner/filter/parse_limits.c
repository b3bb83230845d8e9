/* filter: "over budget", "below the asking price": what came of each row against what
 * was planned for it, where only the plan is named. */
#include "bridge/planner/filter/parse_comparisons.h"
#include "bridge/planner/filter/parse_conditions.h"

static bool
is_money(const struct parser *p, int column)
{
    return column_is_in_currency(&p->frame->column[column], p->lexicon);
}

/* "hours", "km", money: what it is counted in is told by its name. */
static bool
names_unit(const struct parser *p, int column)
{
    const unsigned units =
        FLAG_UNIT | FLAG_SECONDS | FLAG_MINUTES | FLAG_HOURS | FLAG_DAYS;

    return is_money(p, column) || (p->frame->column[column].flags & units);
}

/* A number that says what came of a plan: `actual_cost` of a `budget`. */
static bool
is_outcome(const struct parser *p, int column, const void *about)
{
    const int plan = *(const int *)about;
    const struct value value = {.kind = VALUE_COLUMN, .column = column};

    return column != plan && value_is_quantity(p, &value) &&
           (is_money(p, column) == is_money(p, plan) || !names_unit(p, column)) &&
           column_is_called(&p->frame->column[column], p->lexicon, "word.outcomes");
}

/* Whether the plan is held against a number, or a number that is named against it. */
static bool
has_other_side(const struct parser *p, int at, int plan)
{
    int before = at - 1;

    while (parse_conditions_is_link(p, before) || token_is(p, before, TERM_FOR))
        before--;
    return token_kind(p, plan + 1, TOKEN_NUMBER) || token_is_bound(p, plan + 1) ||
           (token_kind(p, before, TOKEN_VALUE) && token_is_free(p, before) &&
            value_is_quantity(p, p->token[before].value));
}

bool
parse_limits_take(struct parser *p, int at, enum plan_operator op)
{
    const int plan = at + 1;
    const struct column *column = token_column(p, plan);

    if (op == OP_NE || token_is(p, at, TERM_SINCE) || token_is(p, at, TERM_AFTER) ||
        token_is(p, at, TERM_BEFORE) || token_is(p, at, TERM_UNTIL) || !column ||
        !column_is_called(column, p->lexicon, "word.plans") ||
        !value_is_quantity(p, value_wanted(p, plan, true)) ||
        has_other_side(p, at, plan))
        return false;
    const struct value *value = value_wanted(p, plan, true);
    const int outcome = value_only_column(p, is_outcome, &value->column);
    if (outcome < 0)
        return false;
    struct test *test = parser_add_test(p, value_of_column(p, outcome), op);
    test->than = value;
    test->is_or = parse_conditions_follows_or(p, at);
    parser_note(p, "assume.root", token_text(p, plan),
                query_test_name(p->arena, p->frame, test));
    token_use(p, at, plan);
    /* "knocked down below the reserve", "went for more than asking" */
    for (int i = at - 1; token_kind(p, i, TOKEN_UNKNOWN) &&
                         (lexicon_lists(p->lexicon, "word.fetches", p->token[i].text) ||
                          p->reading->words.at[p->token[i].item->begin].begin ==
                              p->reading->words.at[p->token[at].item->begin].begin);
         i--)
        token_use(p, i, i);
    if (token_is(p, at - 1, TERM_FOR) || token_is(p, at - 1, TERM_IN))
        token_use(p, at - 1, at - 1);
    parse_conditions_use_lead(p, at - 1);
    return true;
}
