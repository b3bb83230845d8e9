/* "is traffic lower at the weekend": those days, and all others. */
#include "bridge/planner/contest/parse_contest.h"

/* "than in the rest of the year", "than on other days" */
static bool
is_of_rest(const struct parser *p, int at)
{
    return token_is(p, at, TERM_REST) || token_is(p, at, TERM_EXCEPT) ||
           token_is(p, at, TERM_DIFFERENT) || token_is(p, at, TERM_IN) ||
           token_is(p, at, TERM_OF) || token_is(p, at, TERM_FOR) ||
           token_is(p, at, TERM_THAN) || token_kind(p, at, TOKEN_STOP) ||
           token_part(p, at);
}

/* Where what is compared with begins; the end: nothing is said of it; -1: something
 * else than the rest. */
static int
rest_from(const struct parser *p, int more)
{
    int than = p->count;

    for (int i = more; i < p->count && than == p->count; i++)
        if (token_is(p, i, TERM_THAN) && token_is_free(p, i))
            than = i;
    for (int i = than; i < p->count; i++)
        if (!is_of_rest(p, i))
            return -1;
    return than;
}

/* The only test of a part of dates; -1. */
static int
calendar_test(const struct parser *p)
{
    int found = -1;

    for (unsigned i = 0; i < p->query->tests; i++) {
        if (p->query->test[i].of->kind != VALUE_PART)
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

void
parse_contest_dates(struct parser *p)
{
    const int at = calendar_test(p), more = parse_contest_more(p);

    if (more < 0 || p->is_contest ||
        !(parser_asks_whether(p) || parse_contest_asks_how_much(p, more)))
        return;
    if (p->query->keys == 1 && p->query->is_compared) { /* "in summer than in winter" */
        parse_contest_settle(p, more);
        return;
    }
    if (at < 0 || p->query->keys)
        return;
    const int rest = rest_from(p, more);
    if (rest < 0)
        return;
    struct test test = p->query->test[at];
    p->query->tests--;
    for (unsigned i = (unsigned)at; i < p->query->tests; i++) {
        p->query->test[i] = p->query->test[i + 1];
        p->test_at[i] = p->test_at[i + 1];
    }
    parser_add_key(p, value_of_test(p, &test));
    if (rest < p->count)
        token_use(p, rest, p->count - 1);
    parse_contest_settle(p, more);
}
