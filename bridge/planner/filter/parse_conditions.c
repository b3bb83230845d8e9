/* filter: comparisons, sets, parts of text, missing cells, yes and no. */
#include "bridge/planner/filter/parse_conditions.h"

/* Words between a column and what it is compared with. */
bool
parse_conditions_is_link(const struct parser *p, int at)
{
    return token_is(p, at, TERM_IS) || token_is(p, at, TERM_WHOSE) ||
           token_is(p, at, TERM_OF) || token_is(p, at, TERM_WITH) ||
           token_is(p, at, TERM_IN) || token_is(p, at, TERM_FOR) ||
           token_is(p, at, TERM_FROM) || token_is(p, at, TERM_ONLY) ||
           (at > 0 && token_is(p, at, TERM_WHEN));
}

void
parse_conditions_use_lead(struct parser *p, int at)
{
    while (parse_conditions_is_link(p, at) || token_is(p, at, TERM_AND) ||
           (token_is(p, at, TERM_BETWEEN) && p->wants_compare)) {
        if (token_is(p, at, TERM_AND))
            break;
        token_use(p, at, at);
        at--;
    }
}

struct test *
parse_conditions_add(struct parser *p, int at, enum plan_operator op)
{
    token_use(p, at, at);
    parse_conditions_use_lead(p, at - 1);
    return parser_add_test(p, p->token[at].value, op);
}

bool
parse_conditions_follows_or(const struct parser *p, int at)
{
    while (parse_conditions_is_link(p, at - 1) || token_is(p, at - 1, TERM_NOT))
        at--;
    return token_is(p, at - 1, TERM_OR) && p->query->tests > 0;
}

void
parse_conditions(struct parser *p)
{
    static bool (*const takers[])(struct parser *, int) = {
        parse_late_take,    parse_has_participle,      parse_with_without,
        parse_texts_take,   parse_comparisons_between, parse_comparisons_take,
        parse_cells_take,   parse_nulls_take,          parse_flags_take,
        parse_numbers_take, parse_implied_take,        parse_has_take,
    };

    for (size_t k = 0; k < COUNT_OF(takers); k++)
        for (int i = 0; i < p->count; i++)
            if (token_is_free(p, i)) {
                p->at = i;
                takers[k](p, i);
            }
}
