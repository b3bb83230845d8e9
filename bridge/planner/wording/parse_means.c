/* "average total spend per card": the mean of what each of them sums up to. */
#include "bridge/planner/tokens/parser.h"

static bool
has_groups(const struct parser *p, int from)
{
    for (int i = from; i < p->count; i++)
        if (token_is(p, i, TERM_PER) || token_is(p, i, TERM_EACH) ||
            token_is(p, i, TERM_BY))
            return true;
    return false;
}

/* [from, to) comes to stand at the end. */
static void
bring_to_end(struct parser *p, int from, int to)
{
    for (int i = from; i < to; i++) {
        const struct token moved = p->token[from];

        memmove(&p->token[from], &p->token[from + 1],
                (size_t)(p->count - from - 1) * sizeof(moved));
        p->token[p->count - 1] = moved;
    }
}

static bool
has_number_before(const struct parser *p, int end)
{
    for (int i = 0; i < end; i++)
        if (value_is_quantity_at(p, i))
            return true;
    return false;
}

/* "how much has each department taken in fees": of fees. */
static void
bring_amount(struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        for (int k = i + 2; token_is(p, i, TERM_HOW_MUCH) && k + 1 < p->count; k++)
            if (token_is(p, k, TERM_IN) && value_is_quantity_at(p, k + 1) &&
                !has_number_before(p, k)) {
                token_drop(p, k, k);
                token_bring_forward(p, k + 1, i + 1);
                return;
            }
}

/* "on average, which vet has the longest visits" */
static void
bring_average(struct parser *p)
{
    int first = 0;

    while (token_kind(p, first, TOKEN_COMMA))
        first++;
    int next = first + 1;
    while (token_kind(p, next, TOKEN_COMMA))
        next++;
    if (token_is(p, first, TERM_MEAN) && p->token[first].item->len == 2 &&
        token_is(p, next, TERM_WHICH))
        bring_to_end(p, first, first + 1);
}

/* "the highest average bill: which vet?" */
static void
bring_which(struct parser *p)
{
    int last = p->count - 1;

    while (last > 0 && !token_kind(p, last, TOKEN_VALUE))
        last--;
    const int which = last - 1, before = which - 1;
    const bool is_apart = token_kind(p, before, TOKEN_COMMA) ||
                          token_kind(p, before, TOKEN_MARK) ||
                          token_kind(p, before, TOKEN_STOP);

    if (which >= 2 && token_is(p, which, TERM_WHICH) && is_apart &&
        token_is_extreme(p, 0))
        bring_to_end(p, 0, which);
}

/* Says "on average" at the end, where the mean of groups is looked for. */
void
parse_means(struct parser *p)
{
    bring_amount(p);
    bring_average(p);
    bring_which(p);
    for (int i = 0; i + 1 < p->count; i++) {
        const int sum = i + 1 + token_is(p, i + 1, TERM_OF);

        if (!token_is(p, i, TERM_MEAN) || !token_is(p, sum, TERM_SUM) ||
            !has_groups(p, sum + 1))
            continue;
        const struct token mean = p->token[i];
        const int dropped = sum - i;

        memmove(&p->token[i], &p->token[sum],
                (size_t)(p->count - sum) * sizeof(*p->token));
        p->count -= dropped - 1;
        p->token[p->count - 1] = mean;
        return;
    }
}
