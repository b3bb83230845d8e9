/* "average price weighted by quantity", "kwh-weighted tariff": the sum of the products
 * by the sum of the weights. */
#include "bridge/planner/tokens/parser.h"

static bool
is_quantity(struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_VALUE) && token_is_free(p, at) &&
           value_is_quantity(p, value_wanted(p, at, true));
}

/* What it is weighted by: "by the number of ratings". -1: it is not said. */
static int
weight_behind(struct parser *p, int at)
{
    if (!token_is(p, at, TERM_BY) && !token_is(p, at, TERM_WITH))
        return -1;
    at++;
    while (token_is(p, at, TERM_COUNT) || token_is(p, at, TERM_OF) ||
           token_is(p, at, TERM_AMOUNT))
        at++;
    return is_quantity(p, at) ? at : -1;
}

/* "kwh-": before it, and joined by a hyphen. */
static int
weight_before(struct parser *p, int at)
{
    at -= 1 + token_is_mark(p, at - 1, '-');
    return is_quantity(p, at) ? at : -1;
}

static int
nearest_quantity(struct parser *p, int from, int step, int but)
{
    for (int i = from; i >= 0 && i < p->count; i += step)
        if (i != but && is_quantity(p, i))
            return i;
    return -1;
}

static void
use_around(struct parser *p, int at)
{
    while (token_is(p, at - 1, TERM_MEAN) || token_is(p, at - 1, TERM_OF)) {
        at--;
        token_use(p, at, at);
    }
}

static void
add_weighted(struct parser *p, const struct value *of, const struct value *weight)
{
    const struct column *column = value_column(p, of);
    const struct value *product = value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                                               .op = '*',
                                                               .left = of,
                                                               .right = weight,
                                                               .is_weighing = true});
    struct amount *amount = parser_add_amount(p, REDUCE_SUM, product);
    struct amount *per = arena_alloc(p->arena, 1, sizeof(*per));

    *per = (struct amount){.reduce = REDUCE_SUM, .of = weight};
    amount->per = per;
    amount->weighted = of;
    if (!column || column->nulls > 0 || column->placeholder)
        parser_add_test(p, of, OP_NOT_NULL); /* their weights do not count either */
}

void
parse_weighted(struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        if (!token_is_free(p, i) ||
            !lexicon_lists(p->lexicon, "word.weighted", p->token[i].text))
            continue;
        const int behind = weight_behind(p, i + 1),
                  weight = behind >= 0 ? behind : weight_before(p, i);
        if (weight < 0)
            continue;
        int of = behind >= 0 ? nearest_quantity(p, i - 1, -1, weight)
                             : nearest_quantity(p, i + 1, 1, weight);
        if (of < 0 && behind >= 0)
            of = nearest_quantity(p, behind + 1, 1, weight);
        if (of < 0)
            continue;
        add_weighted(p, value_wanted(p, of, true), value_wanted(p, weight, true));
        use_around(p, of);
        token_use(p, of, of);
        use_around(p, i);
        if (behind >= 0)
            token_use(p, i, behind);
        else
            token_use(p, weight, i);
        if (token_is(p, i + 1, TERM_MEAN))
            token_use(p, i + 1, i + 1);
        return;
    }
}
