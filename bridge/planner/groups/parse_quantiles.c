/* aggregate: percentiles: "the 90th percentile of", "p95", "P10 and P90". */
#include "bridge/planner/groups/parse_groups.h"

/* "90th": a number, and letters that are not a word. */
static bool
is_nth(const struct parser *p, int at)
{
    return token_is(p, at, TERM_NTH) ||
           (token_kind(p, at, TOKEN_UNKNOWN) && strcmp(p->token[at].text, "th") == 0);
}

bool
parse_quantiles_take(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;

    bool is_short = token_kind(p, at, TOKEN_UNKNOWN) &&
                    strcmp(p->token[at].text, "p") == 0 &&
                    token_kind(p, at + 1, TOKEN_NUMBER);
    if (!token_is(p, at, TERM_PERCENTILE) && !is_short)
        return false;
    int number = token_kind(p, at - 1, TOKEN_NUMBER)   ? at - 1
                 : is_nth(p, at - 1)                   ? at - 2
                 : token_kind(p, at + 1, TOKEN_NUMBER) ? at + 1
                                                       : -1;
    if (number < 0 || !token_kind(p, number, TOKEN_NUMBER) ||
        p->token[number].number >= 100) {
        parser_refuse(p, "refuse.percentile", token_text(p, at));
        return true;
    }
    scan->other_quantile = 0;
    if (is_short && token_is(p, at + 2, TERM_AND) &&
        token_kind(p, at + 3, TOKEN_UNKNOWN) &&
        strcmp(p->token[at + 3].text, "p") == 0 &&
        token_kind(p, at + 4, TOKEN_NUMBER) && p->token[at + 4].number < 100) {
        scan->other_quantile = p->token[number].number / 100; /* "P10 and P90" */
        token_use(p, at, at + 3);
        at += 3;
        number = at + 1;
    }
    scan->quantile = p->token[number].number / 100;
    int other = number - 1;
    if (number < at && token_is(p, other, TERM_AND)) {
        other -= is_nth(p, other - 1) ? 2 : 1;
        if (token_kind(p, other, TOKEN_NUMBER) && p->token[other].number < 100) {
            scan->other_quantile = p->token[other].number / 100;
            token_use(p, other, number);
        }
    }
    scan->reduce = REDUCE_QUANTILE;
    scan->reduce_at = at > number ? at : number;
    token_use(p, number < at ? number : at, scan->reduce_at);
    if (token_is(p, at + 1, TERM_OF))
        token_use(p, at + 1, at + 1);
    return true;
}
