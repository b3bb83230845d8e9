/* calendar: what was so on a day: what had begun by then, and not ended. */
#include "bridge/planner/calendar/parse_as_of.h"
#include "bridge/planner/calendar/calendar.h"
#include "bridge/planner/calendar/parse_dates.h"

/* What stands at [from, to]. */
struct span {
    int from, to;
};

/* "unsold", "open", "not returned": rows without a date of their end; which, or -1. */
static int
find_state(struct parser *p, struct span *state)
{
    struct test test;

    for (int i = 0; i < p->count; i++) {
        const struct column *column = token_column(p, i);

        *state = (struct span){i - 1, i};
        if (column && column->kind == COLUMN_DATE && column->nulls > 0 &&
            token_is(p, i - 1, TERM_NOT))
            return p->token[i].value->column;
        *state = (struct span){i, i};
        if (lexicon_lists(p->lexicon, "word.headcount", p->token[i].text))
            return parser_time_end(p);
        if ((token_kind(p, i, TOKEN_UNKNOWN) || token_kind(p, i, TOKEN_VALUE)) &&
            p->token[i].item->len == 1 &&
            parser_roots_find(p, p->token[i].text, &test) && test.op == OP_NULL &&
            test.of->kind == VALUE_COLUMN)
            return test.of->column;
    }
    return -1;
}

/* A date that rows have, whether they have ended or not; about: the column of their
 * end. */
static bool
is_beginning(const struct parser *p, int at, const void *about)
{
    const int *end = about;
    const struct column *column = &p->frame->column[at];

    return at != *end && column->kind == COLUMN_DATE && !column->is_clock &&
           !(column->flags & FLAG_BIRTH) && column->nulls >= 0 &&
           column->nulls < p->frame->column[*end].nulls;
}

static bool
is_called_beginning(const struct parser *p, int at, const void *about)
{
    return is_beginning(p, at, about) &&
           column_is_called(&p->frame->column[at], p->lexicon, "word.rowstarts");
}

/* `act_start` beside `plan_start`: when it was, and not when it should have been. */
static bool
is_called_actual(const struct parser *p, int at, const void *about)
{
    return is_called_beginning(p, at, about) &&
           !column_is_called(&p->frame->column[at], p->lexicon, "word.due");
}

static int
find_beginning(const struct parser *p, int end)
{
    static value_test *const tests[] = {is_called_beginning, is_called_actual,
                                        is_beginning};
    int found = NO_COLUMN;

    for (size_t i = 0; found < 0 && i < COUNT_OF(tests); i++)
        found = value_only_column(p, tests[i], &end);
    return found;
}

/* The first day of the period that begins at `at`, and of the one behind it: "2024",
 * "March 2024", "Q2 2023". */
static bool
read_period(const struct parser *p, int at, struct day *first, struct day *behind,
            int *to)
{
    const bool is_quarter = token_kind(p, at, TOKEN_TERM) &&
                            p->token[at].term >= TERM_Q1 &&
                            p->token[at].term <= TERM_Q4;
    const int month =
        is_quarter ? 1 + 3 * (int)(p->token[at].term - TERM_Q1) : calendar_month(p, at);
    const int months = is_quarter ? 3 : month ? 1 : 12;
    int year = at + (month != 0);

    year += token_is(p, year, TERM_OF);
    if (!calendar_is_year(p, year))
        return false;
    *first = (struct day){token_whole(p, year), month ? month : 1, 1};
    *behind = *first;
    behind->month += months;
    behind->year += behind->month > 12;
    behind->month -= behind->month > 12 ? 12 : 0;
    *to = year;
    return true;
}

/* "at the end of 2024", "at the beginning of March 2024" */
static bool
find_end(const struct parser *p, struct span *point, struct day *before)
{
    struct day first, behind;

    for (int i = 1; i < p->count; i++) {
        if (!token_is(p, i - 1, TERM_IN))
            continue;
        const bool is_start =
            lexicon_lists(p->lexicon, "word.starts", p->token[i].text);
        if (!(is_start || lexicon_lists(p->lexicon, "word.stops", p->token[i].text)) ||
            !read_period(p, i + 1 + token_is(p, i + 1, TERM_OF), &first, &behind,
                         &point->to))
            continue;
        point->from = i - 1;
        *before = is_start ? first : behind;
        return true;
    }
    return false;
}

/* "on 1 July 2023", "as of 1 July 2023" */
static bool
find_day(const struct parser *p, struct span *point, struct day *before)
{
    struct day day;
    int first;

    for (int i = 0; i < p->count; i++) {
        if (!parse_dates_read(p, i, &day, &first, &point->to))
            continue;
        const struct column *column = token_column(p, first - 1);
        const bool is_on = /* "unsold on 1 July" of `SoldOn` */
            column && column->kind == COLUMN_DATE && p->token[first - 1].item->len > 1;
        if (!is_on && !token_is(p, first - 1, TERM_IN) &&
            !(token_is(p, first - 1, TERM_SINCE) &&
              strcmp(p->token[first - 1].text, "as") == 0))
            continue;
        point->from = first - !is_on;
        *before = parse_dates_next(day);
        return true;
    }
    return false;
}

/* "debt at the end of 2022" of a row for each year: that of the year. */
static bool
take_end_of_year(struct parser *p, const struct span *point, struct day before)
{
    const int date = before.month == 1 && before.day == 1 ? parser_roots_time(p) : -1;

    if (date < 0 || p->frame->column[date].kind != COLUMN_NUMBER ||
        !token_kind(p, point->to, TOKEN_NUMBER) ||
        token_whole(p, point->to) + 1 != before.year)
        return false;
    p->token[point->from + 1] = p->token[point->to]; /* "in 2022" */
    token_drop(p, point->from + 2, point->to);
    return true;
}

void
parse_as_of(struct parser *p)
{
    struct span point, state;
    struct day before;

    if (!find_end(p, &point, &before) && !find_day(p, &point, &before))
        return;
    if (take_end_of_year(p, &point, before))
        return;
    const int end = find_state(p, &state),
              beginning = end < 0 ? -1 : find_beginning(p, end);
    if (beginning < 0)
        return;
    p->at = point.from; /* where the tests stand */
    parse_dates_add(p, beginning, OP_LT, before);
    parse_dates_add(p, end, OP_LT, before)->is_not = true;
    p->at = 0;
    parser_note(p, "assume.asof", p->frame->column[beginning].name,
                p->frame->column[end].name);
    token_use(p, point.from, point.to);
    if (!token_kind(p, state.to, TOKEN_TERM)) /* "headcount" is still one */
        token_use(p, state.from, state.to);
}
