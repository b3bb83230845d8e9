/* compare: the difference of two groups, where it is asked for by that name. */
#include "bridge/planner/contest/parse_contest.h"
#include "bridge/planner/filter/parse_conditions.h"

/* "difference in mean price between organic and other fields" */
bool
parse_contest_difference(struct parser *p)
{
    struct test side;
    int difference = -1, between = -1;

    for (int i = 0; i < p->count; i++) {
        if (token_is(p, i, TERM_DIFFERENCE) && difference < 0)
            difference = i;
        if (token_is(p, i, TERM_BETWEEN) && token_is_free(p, i))
            between = i;
    }
    int at = between + 1;
    while (parse_conditions_is_link(p, at) || token_is(p, at, TERM_WITH) ||
           token_kind(p, at, TOKEN_ROWS))
        at++;
    if (difference < 0 || between < difference || at >= p->count ||
        !parse_contest_flag(p, at, &side) || !token_is(p, at + 1, TERM_AND) ||
        !parse_contest_is_rest(p, at + 2))
        return false;
    if (token_kind(p, at, TOKEN_VALUE))
        p->token[at].value = side.of;
    parser_add_key(p, side.of);
    token_use(p, between, at + 2);
    token_use(p, difference, difference);
    if (token_kind(p, at + 3, TOKEN_ROWS))
        token_use(p, at + 3, at + 3);
    p->is_contest = p->query->is_compared = p->query->is_difference = true;
    p->key_is_given[0] = true;
    return true;
}
