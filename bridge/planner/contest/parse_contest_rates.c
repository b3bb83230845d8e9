/* What part of each of two groups does something: "do seniors churn more often than
 * others", "are online payments declined more often than those in store". */
#include "bridge/planner/contest/parse_contest.h"
#include "bridge/planner/filter/parse_comparisons.h"
#include "bridge/planner/filter/parse_conditions.h"
#include "bridge/planner/filter/parse_having.h"

/* Each group's share of rows for which `what` holds. */
static void
add_rate(struct parser *p, const struct test *what)
{
    struct test *test = arena_alloc(p->arena, 1, sizeof(*test));
    *test = *what;
    struct amount *amount = parser_add_amount(p, REDUCE_RATE, what->of);

    amount->test = test;
    amount->tests = 1;
    parser_note(p, "assume.rate", query_test_name(p->arena, p->frame, test), NULL);
}

/* The group's yes or no, and then that which is counted. */
static bool
take_two(struct parser *p, int end)
{
    struct test one, what;
    int at = -1;

    for (int i = 0; i < end; i++) {
        if (!token_is_free(p, i) || !parse_contest_flag(p, i, at < 0 ? &one : &what))
            continue;
        if (at < 0) {
            at = i;
            continue;
        }
        if (query_value_is_same(one.of, what.of) || one.is_not)
            return false;
        add_rate(p, &what);
        parser_add_key(p, one.of);
        token_use(p, at, at);
        token_use(p, i, i);
        return true;
    }
    return false;
}

/* The one yes or no that is counted, its groups being told otherwise. */
static bool
take_one(struct parser *p, const struct contest *contest)
{
    struct test what;

    for (int i = 0; i < contest->than; i++) {
        if (!token_is_free(p, i) || token_kind(p, i, TOKEN_CELL) ||
            !parse_contest_flag(p, i, &what))
            continue;
        if (!(token_kind(p, contest->other, TOKEN_CELL)
                  ? parse_contest_take_cells(p, contest)
                  : parse_contest_take_bound(p, contest)))
            return false;
        add_rate(p, &what);
        token_use(p, i, i);
        return true;
    }
    return false;
}

bool
parse_contest_rates(struct parser *p, const struct contest *contest)
{
    if (take_one(p, contest))
        return true;
    if (!parse_contest_is_rest(p, contest->other) || !take_two(p, contest->other))
        return false;
    parse_contest_note_opposite(p, contest->other, p->query->key[0]);
    return true;
}

bool
parse_contest_rates_alone(struct parser *p)
{
    const int more = parse_contest_more(p);

    if (more < 0 || !lexicon_lists(p->lexicon, "word.more", p->token[more].text) ||
        !take_two(p, p->count))
        return false;
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_WITH) || token_is(p, i, TERM_WHOSE))
            token_use(p, i, i);
    parse_contest_settle(p, more);
    return true;
}

/* Behind "than": those on the other side of a bound. */
static bool
is_other_side(struct parser *p, const struct contest *contest)
{
    return token_is(p, contest->other, TERM_MORE) ||
           parse_contest_is_rest(p, contest->other);
}

bool
parse_contest_take_bound(struct parser *p, const struct contest *contest)
{
    struct test test = {.operands = 0};

    for (int i = 0; is_other_side(p, contest) && i + 1 < contest->than; i++) {
        if (!parse_having_comparison(p, i, &test.op) || !token_is_free(p, i) ||
            !token_kind(p, i + 1, TOKEN_NUMBER))
            continue;
        const int at = value_is_quantity_at(p, i + 2)   ? i + 2
                       : value_is_quantity_at(p, i - 1) ? i - 1
                                                        : -1;
        if (at < 0)
            return false;
        test.of = value_wanted(p, at, true);
        parse_comparisons_set(p, &test, i + 1);
        parser_add_key(p, value_of_test(p, &test));
        token_use(p, i, i + 1);
        token_use(p, at, at);
        parse_conditions_use_lead(p, (at < i ? at : i) - 1);
        return true;
    }
    return false;
}
