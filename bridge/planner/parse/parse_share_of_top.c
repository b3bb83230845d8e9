/* share: of the total that the largest have, "what share of sales comes from the top 10
 * customers". */
#include "bridge/planner/tokens/parser.h"

struct top {
    int at;    /* "top" */
    int count; /* the number */
    int whose; /* rows, or the column that groups them */
    bool is_percent;
};

static bool
is_percent_at(const struct parser *p, int at)
{
    return token_is(p, at, TERM_SHARE) || token_is(p, at, TERM_PERCENT_UNIT);
}

/* "the three worst machines": those with the most of what is bad. */
static bool
is_worst(const struct parser *p, int at)
{
    bool is_bad = false;

    for (int i = 0; i < p->count; i++) {
        const struct column *column = token_column(p, i);
        is_bad |= column && column->flags & FLAG_BAD;
    }
    return is_bad && token_is(p, at, TERM_LOW) && token_flags(p, at) & FLAG_JUDGING;
}

/* "top 10", "the ten biggest" */
static bool
top_at(const struct parser *p, int at, struct top *top)
{
    const bool is_behind = token_kind(p, at, TOKEN_NUMBER);
    const int count = is_behind ? at : at + 1, best = is_behind ? at + 1 : at;

    *top = (struct top){.at = at, .count = count, .whose = at + 2};
    return token_kind(p, count, TOKEN_NUMBER) && p->token[count].number >= 1 &&
           (token_is(p, best, TERM_TOP) || token_is(p, best, TERM_HIGH) ||
            is_worst(p, best));
}

/* "top 10 customers", "largest 5 % of orders" */
static bool
find_top(const struct parser *p, struct top *top)
{
    for (int i = 0; i + 2 < p->count; i++) {
        if (!top_at(p, i, top))
            continue;
        const bool is_word = is_percent_at(p, top->whose);
        top->is_percent = is_word || token_has_percent(p, top->count);
        top->whose += is_word;
        top->whose += token_is(p, top->whose, TERM_OF);
        return token_kind(p, top->whose, TOKEN_ROWS) ||
               (token_kind(p, top->whose, TOKEN_VALUE) &&
                !value_is_quantity(p, p->token[top->whose].value));
    }
    return false;
}

/* The number whose total is shared: the one that is named, else what rows amount to. */
static const struct value *
find_measure(struct parser *p, int *at)
{
    const struct value *found = NULL;

    *at = -1;
    for (int i = 0; i < p->count; i++) {
        if (!token_kind(p, i, TOKEN_VALUE) || !token_is_free(p, i) ||
            !value_is_quantity(p, value_wanted(p, i, true)))
            continue;
        if (found)
            return NULL; /* of which? */
        found = value_wanted(p, i, true);
        *at = i;
    }
    if (found)
        return found;
    const int column = parser_roots_amount(p);
    if (column >= 0)
        parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
    return column >= 0 ? value_of_column(p, column) : NULL;
}

static const struct value *
group_of(struct parser *p, int whose)
{
    const struct column *column = token_column(p, whose);
    const int key = column                             ? p->token[whose].value->column
                    : token_kind(p, whose, TOKEN_ROWS) ? parse_rows_key(p, whose)
                                                       : -1;

    return key < 0 || p->frame->column[key].is_unique ? NULL : value_of_column(p, key);
}

static void
use_words(struct parser *p, int share, int measure, const struct top *top)
{
    token_use(p, share, share);
    if (measure >= 0) {
        token_use(p, measure, measure);
        if (token_is(p, measure - 1, TERM_SUM))
            token_use(p, measure - 1, measure - 1);
    }
    token_use(p, top->at, top->whose);
    for (int i = share + 1; i < p->count; i++)
        if (token_is(p, i, TERM_SUM) && token_is(p, i - 1, TERM_OF)) /* "the total" */
            token_use(p, i, i);
    if (token_is(p, top->at - 1, TERM_FROM) || token_is(p, top->at - 1, TERM_BY) ||
        token_is(p, top->at - 1, TERM_IN) || token_is(p, top->at - 1, TERM_FOR))
        token_use(p, top->at - 1, top->at - 1);
}

/* "how much of" */
static bool
asks_for_share(const struct parser *p, int at)
{
    return token_is(p, at, TERM_SHARE) ||
           (token_is(p, at, TERM_HOW_MUCH) && token_is(p, at + 1, TERM_OF));
}

void
parse_share_of_top(struct parser *p)
{
    struct top top;
    int share = -1, measure;

    for (int i = 0; i < p->count && share < 0; i++)
        if (asks_for_share(p, i) && token_is_free(p, i))
            share = i;
    if (share < 0 || !find_top(p, &top) || share == top.whose - 1 ||
        top.count == share - 1)
        return;
    const struct value *of = find_measure(p, &measure);
    if (!of)
        return;
    parser_add_amount(p, REDUCE_SUM, of);
    p->query->share = SHARE_TOP;
    p->query->top.of = group_of(p, top.whose);
    p->query->top.count = p->token[top.count].number;
    p->query->top.is_percent = top.is_percent;
    p->query->shape = SHAPE_NUMBER;
    p->has_subject = true;
    use_words(p, share, measure, &top);
}
