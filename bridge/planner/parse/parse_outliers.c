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
    int before = outliers - 1;
    while (token_is(p, before, TERM_IS) || token_kind(p, before, TOKEN_COMMA))
        before--;                                /* "gust readings are" */
    return quantity_at(p, before) ? before : -1; /* "price outliers", "prices are" */
}

/* "how many are there?", "are there any", "which orders are": all of them are shown,
 * with their number. */
static void
take_question(struct parser *p, int outliers)
{
    static const enum term terms[] = {TERM_HOW_MANY, TERM_COUNT, TERM_WHICH, TERM_AND,
                                      TERM_IS};

    for (int i = 0; i < p->count; i++) {
        p->query->counts_outliers |=
            token_is(p, i, TERM_HOW_MANY) || token_is(p, i, TERM_COUNT);
        for (size_t k = 0; k < COUNT_OF(terms); k++)
            if (token_is(p, i, terms[k]))
                token_use(p, i, i);
        if (token_kind(p, i, TOKEN_ROWS) && i < outliers)
            token_use(p, i, i);
    }
}

enum {
    TENTHS = 15, /* times the interquartile range: the rule that is followed anyway */
};

/* "by the 1.5 IQR rule", "use 1.5 x IQR": how outliers are told. */
void
parse_outliers_rule(struct parser *p)
{
    bool has_outliers = false;

    for (int i = 0; i < p->count; i++)
        has_outliers |= token_is(p, i, TERM_OUTLIER);
    for (int i = 0; has_outliers && i + 1 < p->count; i++) {
        if (!token_kind(p, i, TOKEN_NUMBER) ||
            (int)(10 * p->token[i].number + 0.5) != TENTHS)
            continue;
        int end = i + 1;
        while (token_kind(p, end, TOKEN_MARK) || token_is(p, end, TERM_TIMES) ||
               token_is(p, end, TERM_X_AXIS) ||
               (token_kind(p, end, TOKEN_UNKNOWN) &&
                lexicon_lists(p->lexicon, "word.multiplies", p->token[end].text)))
            end++;
        if (!token_kind(p, end, TOKEN_UNKNOWN) ||
            !lexicon_lists(p->lexicon, "word.iqr", p->token[end].text))
            continue;
        while (token_kind(p, end + 1, TOKEN_UNKNOWN) &&
               lexicon_lists(p->lexicon, "word.rule", p->token[end + 1].text))
            end++;
        int begin = i;
        while (token_is(p, begin - 1, TERM_BY) || token_is(p, begin - 1, TERM_WITH) ||
               token_is(p, begin - 1, TERM_AS) || token_is(p, begin - 1, TERM_IN) ||
               (token_kind(p, begin - 1, TOKEN_UNKNOWN) &&
                lexicon_lists(p->lexicon, "word.applies", p->token[begin - 1].text)))
            begin--;
        token_drop(p, begin, end);
        return;
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
