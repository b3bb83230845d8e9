/* aggregate: one number by another: "revenue per employee", "rate per adult". */
#include "bridge/planner/groups/parse_groups.h"

/* Of what each row has: the parts of medians, and of "EUR/night", do not add up. */
static bool
is_ratio_of_rows(const struct parser *p, const struct amount *last)
{
    const struct column *column = last->of ? value_column(p, last->of) : NULL;

    return last->of && ((column && last->reduce == REDUCE_MEAN &&
                         column_is_per_unit(column, p->lexicon)) ||
                        (!last->is_implied && (last->reduce == REDUCE_MEDIAN ||
                                               last->reduce == REDUCE_QUANTILE ||
                                               last->reduce == REDUCE_STD)));
}

void
parse_amounts_ratio(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    struct amount *last = &p->query->amount[p->query->amounts - 1];
    struct amount *per = arena_alloc(p->arena, 1, sizeof(*per));
    const struct value *value = p->token[at].value;

    if (is_ratio_of_rows(p, last) && value_is_quantity(p, value) &&
        scan->per_count <= 0) { /* "median price per square foot" */
        last->of = value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                                .op = '/',
                                                .left = last->of,
                                                .right = value});
        token_use(p, at, at);
        return;
    }
    *per = (struct amount){.reduce = value_is_quantity(p, value) ? REDUCE_SUM
                                                                 : REDUCE_DISTINCT,
                           .of = value};
    last->reduce = last->of ? REDUCE_SUM : REDUCE_COUNT;
    last->per = per;
    last->per_count = scan->per_count;
    scan->per_count = 0;
    last->is_implied = false;
    token_use(p, at, at);
    parser_note(p, "assume.ratio",
                last->of ? query_value_name(p->arena, p->frame, last->of) : "rows",
                query_value_name(p->arena, p->frame, value));
}
