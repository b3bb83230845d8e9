/* Several numbers of one column, listed: "lowest, average and highest score", "first
 * and last year". */
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
    const bool is_date =
        token_kind(p, i, TOKEN_VALUE) && value_is_date(p, p->token[i].value);
    return count > 1 && token_kind(p, i, TOKEN_VALUE) &&
                   (is_date || !token_kind(p, i + 1, TOKEN_ROWS))
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

        if (!(is_high || token_is(p, i, TERM_LOW)) ||
            !token_kind(p, i + 1, TOKEN_CELL) || p->token[i + 1].is_plural ||
            (token_is(p, 0, TERM_WHICH) && i > 1) || p->wants_who ||
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

/* "first and last reading of each station": when they were. */
static void
name_ends_of_rows(struct parser *p)
{
    for (int i = 0; i + 3 < p->count; i++) {
        const int date = token_is(p, i, TERM_TOP) && token_is(p, i + 1, TERM_AND) &&
                                 token_is(p, i + 2, TERM_BOTTOM) &&
                                 token_kind(p, i + 3, TOKEN_ROWS) &&
                                 !p->token[i + 3].is_plural
                             ? parser_roots_time(p)
                             : -1;

        if (date >= 0)
            token_become_other(p, i + 3, i + 3, value_of_column(p, date));
    }
}

void
parse_several(struct parser *p)
{
    name_extreme_of_cell(p);
    name_ends_of_rows(p);
    for (int i = 0; i + 2 < p->count; i++) {
        const int of = is_end(p, i) || is_other(p, i) ? end_of_list(p, i) : -1;

        if (of < 0)
            continue;
        const bool is_time = !value_is_quantity_at(p, of);
        if (is_time) /* the same one twice */
            token_become_other(p, of, of, p->token[of].value);
        for (int k = i; k < of; k++)
            for (size_t e = 0; e < COUNT_OF(ends); e++)
                if (token_is(p, k, ends[e].said) && (is_time || e < 2)) {
                    p->token[k].term = ends[e].meant;
                    break;
                }
        return;
    }
}
