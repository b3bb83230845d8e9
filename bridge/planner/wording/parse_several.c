/* Several numbers of one column, listed: "lowest, average and highest score", "first and
 * last year". */
#include "bridge/planner/tokens/parser.h"

static const struct {
    enum term said, meant;
} ends[] = {
    {TERM_LOW,    TERM_MIN},
    {TERM_HIGH,   TERM_MAX},
    {TERM_TOP,    TERM_MIN}, /* "first", of times */
    {TERM_BOTTOM, TERM_MAX},
};

static bool
is_end(const struct parser *p, int at)
{
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (token_is(p, at, ends[i].said))
            return true;
    return false;
}

static bool
is_other(const struct parser *p, int at)
{
    return token_is(p, at, TERM_MEAN) || token_is(p, at, TERM_MEDIAN) ||
           token_is(p, at, TERM_MIN) || token_is(p, at, TERM_MAX);
}

/* What the list that begins at `at` is of; -1: no list does. */
static int
end_of_list(const struct parser *p, int at)
{
    int count = 1, i = at + 1;

    while (token_is(p, i, TERM_AND) || token_kind(p, i, TOKEN_COMMA)) {
        i += token_kind(p, i, TOKEN_COMMA) && token_is(p, i + 1, TERM_AND);
        if (!is_end(p, i + 1) && !is_other(p, i + 1))
            return -1;
        count++;
        i += 2;
    }
    return count > 1 && token_kind(p, i, TOKEN_VALUE) &&
                   !token_kind(p, i + 1, TOKEN_ROWS)
               ? i
               : -1;
}

/* "highest creatinine", "lowest platelet count", where a column holds what every cell's
 * test has found. */
static void
name_extreme_of_cell(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        const bool is_high = token_is(p, i, TERM_HIGH);

        if (!(is_high || token_is(p, i, TERM_LOW)) || !token_kind(p, i + 1, TOKEN_CELL) ||
            p->token[i + 1].is_plural || (token_is(p, 0, TERM_WHICH) && i > 1) ||
            p->wants_who ||
            lexicon_lists(p->lexicon, "word.mosts", p->token[i].text))
            continue;
        for (int k = 0; k < p->count; k++)
            if (value_is_quantity_at(p, k) || token_is(p, k, TERM_BY))
                return;
        if (parser_roots_measure(p) < 0)
            return;
        p->token[i].term = is_high ? TERM_MAX : TERM_MIN;
        if (token_is(p, i + 2, TERM_COUNT))
            token_drop(p, i + 2, i + 2);
        return;
    }
}

void
parse_several(struct parser *p)
{
    name_extreme_of_cell(p);
    for (int i = 0; i + 2 < p->count; i++) {
        const int of = is_end(p, i) || is_other(p, i) ? end_of_list(p, i) : -1;

        if (of < 0)
            continue;
        const bool is_time = !value_is_quantity_at(p, of);
        for (int k = i; k < of; k++)
            for (size_t e = 0; e < COUNT_OF(ends); e++)
                if (token_is(p, k, ends[e].said) && (e >= 2) == is_time) {
                    p->token[k].term = ends[e].meant;
                    break;
                }
        return;
    }
}
