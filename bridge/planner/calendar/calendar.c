#include "bridge/planner/calendar/calendar.h"

#include "bridge/planner/durations/parse_units.h"

enum {
    YEAR_FIRST = 1900,
    YEAR_LAST = 2100,
    FOUNDED_FIRST = 1000, /* of years that are numbers */
};

bool
calendar_is_year(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_NUMBER) && p->token[at].number >= YEAR_FIRST &&
           p->token[at].number <= YEAR_LAST &&
           p->token[at].number == (double)token_whole(p, at) && !p->token[at].is_used &&
           !parse_units_is(p, at + 1);
}

int
calendar_month(const struct parser *p, int at)
{
    enum term term = token_kind(p, at, TOKEN_TERM) ? p->token[at].term : TERM_NONE;

    return term >= TERM_JANUARY && term <= TERM_DECEMBER
               ? (int)(term - TERM_JANUARY) + 1
               : 0;
}

const struct value *
calendar_part(struct parser *p, int date, enum query_part which)
{
    return value_of_part(p, value_of_column(p, date), which);
}

bool
calendar_has_preposition(const struct parser *p, int at)
{
    return token_is(p, at, TERM_IN) || token_is(p, at, TERM_FOR) ||
           token_is(p, at, TERM_OF) || token_is(p, at, TERM_FROM) ||
           token_is(p, at, TERM_ONLY) || token_is(p, at, TERM_WHOSE) ||
           token_is(p, at, TERM_IS);
}

bool
calendar_goes_on(const struct parser *p, int at)
{
    return token_is(p, at, TERM_NOW) ||
           (token_is(p, at, TERM_IN) &&
            (at + 1 == p->count || token_kind(p, at + 1, TOKEN_COMMA)));
}

/* The column that is named before what stands at `at`, or NULL. */
static const struct column *
column_before(const struct parser *p, int at, int *where)
{
    *where = calendar_has_preposition(p, at - 1) ? at - 2 : at - 1;
    const bool may_be_time = !token_kind(p, at, TOKEN_UNKNOWN) && at < p->count;
    const int named = may_be_time && token_kind(p, *where, TOKEN_UNKNOWN)
                          ? parser_roots_date(p, p->token[*where].text)
                          : -1; /* "leases that began in 2022" */
    return named >= 0 ? &p->frame->column[named] : token_column(p, *where);
}

static bool
is_bound(const struct parser *p, int at)
{
    static const enum term terms[] = {TERM_SINCE,         TERM_BEFORE,    TERM_AFTER,
                                      TERM_UNTIL,         TERM_LESS,      TERM_GREATER,
                                      TERM_FROM,          TERM_OVER,      TERM_BETWEEN,
                                      TERM_GREATER_EQUAL, TERM_LESS_EQUAL};

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (token_is(p, at, terms[i]))
            return true;
    return false;
}

/* Numbers that may be years, and are asked for no mean or sum: "erected since 1990". */
static bool
has_years(const struct parser *p, const struct column *column, int where)
{
    static const enum term reduces[] = {TERM_MEAN, TERM_MEDIAN, TERM_SUM, TERM_MAX,
                                        TERM_MIN};

    for (size_t i = 0; i < COUNT_OF(reduces); i++)
        if (token_is(p, where - 1, reduces[i]))
            return false;
    return column->kind == COLUMN_NUMBER && column->is_integer && column->has_range &&
           column->low >= FOUNDED_FIRST && column->high <= YEAR_LAST;
}

/* "duration over 2037" of what may be so much, where no date has that year. */
static bool
is_measured_over(const struct parser *p, int date, const struct column *before, int at)
{
    static const enum term terms[] = {TERM_OVER,       TERM_GREATER,
                                      TERM_LESS,       TERM_GREATER_EQUAL,
                                      TERM_LESS_EQUAL, TERM_BETWEEN};
    const struct column *time = &p->frame->column[date];
    int number = at;
    bool compares = false;

    while (number < p->count && !token_kind(p, number, TOKEN_NUMBER))
        number++;
    for (size_t i = 0; i < COUNT_OF(terms); i++)
        compares |= token_is(p, number - 1, terms[i]);
    if (!compares || number > at + 1 || number >= p->count ||
        before->kind != COLUMN_NUMBER || !before->has_range)
        return false;
    double said = p->token[number].number;
    return said >= before->low && said <= before->high &&
           !(time->first_year <= said && said <= time->last_year);
}

int
calendar_column(const struct parser *p, int date, int at)
{
    int where, first = is_bound(p, at - 1) ? at - 1 : at;
    const struct column *before = column_before(p, first, &where);

    if (before && before->role == ROLE_TIME)
        return (int)(before - p->frame->column);
    bool is_close = where == first - 1 || token_is(p, first - 1, TERM_OF);
    if (before && is_close && is_measured_over(p, date, before, at))
        return CALENDAR_NONE;
    return before && where == first - 1 && has_years(p, before, where) ? CALENDAR_NONE
                                                                       : date;
}

void
calendar_use_around(struct parser *p, int from, int to)
{
    int where;
    const struct column *before = column_before(p, from, &where);

    token_use(p, from, to);
    if (where < from - 1)
        token_use(p, from - 1, from - 1);
    if (before && before->role == ROLE_TIME)
        token_use(p, where, where);
}

void
calendar_add_year(struct parser *p, int date, double year)
{
    const struct column *column = &p->frame->column[date];
    const struct value *of = column->kind == COLUMN_NUMBER
                                 ? value_of_column(p, date)
                                 : calendar_part(p, date, PART_YEAR);

    parser_add_operand(parser_add_test(p, of, OP_EQ),
                       (struct operand){.is_number = true, .number = year});
}
