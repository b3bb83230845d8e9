/* derive: a number in bands, "tenure in bands of 12 months". */
#include "bridge/planner/durations/parse_units.h"

/* Bands alone are a histogram, which is another grammar's. */
static bool
has_measure(const struct parser *p, int banded)
{
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_RATE) || token_is(p, i, TERM_MEAN) ||
            token_is(p, i, TERM_SUM) || token_is(p, i, TERM_MEDIAN) ||
            token_is(p, i, TERM_SHARE) ||
            (token_is(p, banded - 1, TERM_BY) &&
             (token_is(p, i, TERM_COUNT) || token_is(p, i, TERM_HOW_MANY) ||
              (i < banded && token_kind(p, i, TOKEN_ROWS) &&
               !p->has_explicit_chart))) ||
            (i != banded && token_kind(p, i, TOKEN_VALUE) &&
             value_is_quantity(p, p->token[i].value)))
            return true;
    return false;
}

/* "in bands of 12 months", "in 10 year bands": the number, or -1. */
static int
width_at(const struct parser *p, int at, int *end)
{
    int number = -1;

    while (token_is(p, at, TERM_IN) || token_is(p, at, TERM_GROUP_BY) ||
           token_kind(p, at, TOKEN_COMMA))
        at++;
    if (token_is(p, at, TERM_BIN) || token_is(p, at, TERM_BIN_SIZE)) {
        at += token_is(p, at + 1, TERM_OF) ? 2 : 1;
        number = token_kind(p, at, TOKEN_NUMBER) ? at : -1;
        *end = parse_units_is(p, at + 1) ? at + 1 : at;
    } else if (token_kind(p, at, TOKEN_NUMBER)) {
        number = at++;
        at += parse_units_is(p, at) ? 1 : 0;
        *end = at;
        number = token_is(p, at, TERM_BIN) ? number : -1;
    }
    return number >= 0 && p->token[number].number > 0 ? number : -1;
}

/* "by decade of birth", "by decade" of the one number that is a year. */
static int
year_at(const struct parser *p, int at)
{
    int found = -1, years = 0;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        if (column->kind != COLUMN_NUMBER || !(column->flags & FLAG_YEAR))
            continue;
        if (token_is(p, at + 1, TERM_OF) && token_column(p, at + 2) == column)
            return i;
        found = i;
        years++;
    }
    return token_is(p, at + 1, TERM_OF) || years != 1 ? -1 : found;
}

static const struct value *
band_of(struct parser *p, const struct value *of, double width)
{
    return value_make(p,
                      (struct value){.kind = VALUE_BAND, .left = of, .number = width});
}

static void
take_decades(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        if (!token_kind(p, i, TOKEN_UNKNOWN) ||
            !lexicon_lists(p->lexicon, "word.decades", p->token[i].text))
            continue;
        if (token_is(p, i + 1, TERM_OF) && value_is_quantity_at(p, i + 2)) {
            token_become(p, i, i + 2, band_of(p, p->token[i + 2].value, 10));
            return; /* "decade of age" */
        }
        const int year = year_at(p, i);
        if (year < 0)
            continue;
        const bool is_named = /* "decade built" of `year_built` */
            token_column(p, i + 1) == &p->frame->column[year];
        const int end = token_is(p, i + 1, TERM_OF) ? i + 2 : i + is_named;
        token_become(p, i, end, band_of(p, value_of_column(p, year), 10));
        return;
    }
}

/* "by wait time band": of any width. */
static bool
is_band_at(const struct parser *p, int at)
{
    return (token_is(p, at - 1, TERM_BY) || token_is(p, at - 1, TERM_PER)) &&
           token_is(p, at + 1, TERM_BIN) && !token_kind(p, at + 2, TOKEN_NUMBER) &&
           !parse_listed_bands_are_there(p);
}

void
parse_bands(struct parser *p)
{
    take_decades(p);

    for (int i = 0; i < p->count; i++) {
        int end = i, number;

        if (!token_kind(p, i, TOKEN_VALUE) ||
            !value_is_quantity(p, p->token[i].value) || !has_measure(p, i))
            continue;
        number = width_at(p, i + 1, &end);
        if (number < 0 && !is_band_at(p, i))
            continue;
        const double width =
            number < 0 ? 0
                       : p->token[number].number *
                             parse_units_factor(p, number + 1, p->token[i].value);
        p->token[i].value = band_of(p, p->token[i].value, width);
        token_use(p, i + 1, number < 0 ? i + 1 : end);
        return;
    }
}
