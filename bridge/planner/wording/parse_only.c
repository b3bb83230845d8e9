/* "by country, but only countries with at least 100 orders": the groups are named
 * again. */
#include "bridge/planner/tokens/parser.h"

/* The group that stands behind "by", or "which". */
static bool
is_group_before(const struct parser *p, int at)
{
    for (int i = 1; i < at; i++)
        if (token_kind(p, i, TOKEN_VALUE) &&
            query_value_is_same(p->token[i].value, p->token[at].value) &&
            (token_is(p, i - 1, TERM_BY) || token_is(p, i - 1, TERM_PER) ||
             token_is(p, i - 1, TERM_EACH) || token_is(p, i - 1, TERM_IN) ||
             token_is(p, i - 1, TERM_WHICH)))
            return true;
    return false;
}

void
parse_only(struct parser *p)
{
    for (int i = 1; i + 3 < p->count; i++) {
        const int group = i + 1 + token_is(p, i + 1, TERM_FOR);
        const bool is_with =
            token_is(p, group + 1, TERM_WITH) || token_is(p, group + 1, TERM_WHOSE);

        if (token_is(p, i, TERM_ONLY) && token_kind(p, group, TOKEN_VALUE) && is_with &&
            token_is_bound(p, group + 2) && is_group_before(p, group))
            token_drop(p, i, group);
    }
}

/* "compare the two hotels": as many as there are. */
void
parse_only_all(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        const struct column *column = token_column(p, i + 1);

        if (token_kind(p, i, TOKEN_NUMBER) && column && p->token[i + 1].is_plural &&
            !value_is_quantity_at(p, i + 1) && column->unique > 1 &&
            p->token[i].number == (double)column->unique &&
            !value_is_flag(p, p->token[i + 1].value) && !token_is_extreme(p, i - 1) &&
            !token_is(p, i - 1, TERM_BETWEEN) && !token_is(p, i - 1, TERM_DIFFERENCE))
            token_set_aside(p, i);
    }
}
