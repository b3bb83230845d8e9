/* shape: "outliers in price", "any price outliers?": the rows that lie far from the
 * others. */
#include "bridge/planner/tokens/parser.h"

static const struct value *
quantity_at(struct parser *p, int at)
{
    const struct value *value =
        token_kind(p, at, TOKEN_VALUE) ? value_wanted(p, at, true) : NULL;

    return value && value_is_quantity(p, value) ? value : NULL;
}

/* Of which number: the one behind "in", "by" or "for", else the one before; -1. */
static int
measured_at(struct parser *p, int outliers)
{
    int behind = outliers + 1;

    while (token_kind(p, behind, TOKEN_TERM) && !token_is(p, behind, TERM_AND))
        behind++; /* "outliers are there in" */
    if (quantity_at(p, behind))
        return behind;
    return quantity_at(p, outliers - 1) ? outliers - 1 : -1;
}

/* "how many are there?", "are there any", "which orders are": all of them are shown,
 * with their number. */
static void
take_question(struct parser *p, int outliers)
{
    static const enum term terms[] = {TERM_HOW_MANY, TERM_COUNT, TERM_WHICH, TERM_AND,
                                      TERM_IS};

    for (int i = 0; i < p->count; i++) {
        for (size_t k = 0; k < COUNT_OF(terms); k++)
            if (token_is(p, i, terms[k]))
                token_use(p, i, i);
        if (token_kind(p, i, TOKEN_ROWS) && i < outliers)
            token_use(p, i, i);
    }
}

void
parse_outliers(struct parser *p)
{
    int at = -1;

    for (int i = 0; i < p->count && at < 0; i++)
        at = token_is(p, i, TERM_OUTLIER) && token_is_free(p, i) ? i : -1;
    int of = at < 0 ? -1 : measured_at(p, at);
    if (of < 0)
        return;
    parser_add_amount(p, REDUCE_SUM, quantity_at(p, of));
    p->query->shape = SHAPE_OUTLIERS;
    parser_note(p, "assume.outliers",
                query_value_name(p->arena, p->frame, p->query->amount[0].of), NULL);
    token_use(p, of < at ? of : at, of < at ? at : of);
    take_question(p, at);
}
