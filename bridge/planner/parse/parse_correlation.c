/* aggregate: the correlation of two columns. */
#include "bridge/planner/tokens/parser.h"

static bool
is_more_of(const struct parser *p, int at)
{
    return token_is(p, at, TERM_MORE) && token_kind(p, at + 1, TOKEN_VALUE) &&
           token_is_free(p, at + 1) && value_is_quantity(p, p->token[at + 1].value);
}

/* "does a higher price mean a lower rating": of the two of them. */
static bool
take_effect(struct parser *p)
{
    for (int i = 0; i + 4 < p->count; i++) {
        bool relates = token_is(p, i + 2, TERM_MEAN) ||
                       token_is(p, i + 2, TERM_RELATION) ||
                       token_is(p, i + 2, TERM_CORRELATION) ||
                       token_is(p, i + 2, TERM_WHOSE); /* "leads to a": "with a" */
        bool has_with = token_is(p, i + 3, TERM_WITH) || token_is(p, i + 3, TERM_WHOSE);
        int other = has_with ? i + 4 : i + 3;

        if (!relates || !is_more_of(p, i) || !is_more_of(p, other))
            continue;
        parser_add_amount(p, REDUCE_CORRELATION, p->token[i + 1].value)->with =
            p->token[other + 1].value;
        token_use(p, i, other + 1);
        return true;
    }
    return false;
}

/* ", rating and age": more than two. */
static bool
is_in_list(const struct parser *p, int at)
{
    const bool is_joined = token_is(p, at, TERM_AND) || token_kind(p, at, TOKEN_COMMA);
    const int next = at + 1 + token_is(p, at + 1, TERM_AND);

    return is_joined && token_kind(p, next, TOKEN_VALUE) && token_is_free(p, next) &&
           value_is_quantity(p, p->token[next].value);
}

/* "correlation between price and rating", "are price and rating correlated" */
void
parse_correlation(struct parser *p)
{
    const struct value *found[2];
    int count = 0, at = -1, place[2];

    if (take_effect(p))
        return;
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_CORRELATION) && token_is_free(p, i))
            at = i;
    if (at < 0)
        return;
    for (int i = 0; i < p->count && count < 2; i++)
        if (token_kind(p, i, TOKEN_VALUE) && token_is_free(p, i) &&
            (value_is_quantity(p, p->token[i].value) ||
             value_is_flag(p, p->token[i].value)) &&
            !token_is(p, i - 1, TERM_BY)) {
            place[count] = i;
            found[count++] = p->token[i].value;
        }
    if (count < 2) {
        parser_refuse(p, "refuse.two", "");
        return;
    }
    if (is_in_list(p, place[1] + 1)) {
        parser_refuse(p, "refuse.two", "");
        return;
    }
    if (query_value_is_same(found[0], found[1])) {
        parser_refuse(p, "refuse.two", "");
        return;
    }
    parser_add_amount(p, REDUCE_CORRELATION, found[0])->with = found[1];
    token_use(p, at, at);
    token_use(p, place[0], place[0]);
    token_use(p, place[1], place[1]);
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_BETWEEN) || token_is(p, i, TERM_WITH))
            token_use(p, i, i);
}
