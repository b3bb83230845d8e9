/* calendar: single days, as they are written out: "May 20, 2024", "20 May 2024". */
#include "bridge/planner/calendar/parse_dates.h"

#include "bridge/planner/calendar/calendar.h"

enum {
    YEAR_FIRST = 1900,
    YEAR_LAST = 2100,
};

static int
days_of(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return days[month - 1] + (month == 2 && is_leap);
}

struct day
parse_dates_next(struct day day)
{
    if (++day.day <= days_of(day.year, day.month))
        return day;
    day.day = 1;
    if (++day.month <= 12)
        return day;
    return (struct day){day.year + 1, 1, 1};
}

static int
whole_at(const struct parser *p, int at, int low, int high)
{
    double number = token_kind(p, at, TOKEN_NUMBER) ? p->token[at].number : 0;

    return number >= low && number <= high && number == (double)(int)number
               ? (int)number
               : 0;
}

bool
parse_dates_read(const struct parser *p, int at, struct day *day, int *first, int *last)
{
    const int month = calendar_month(p, at);
    bool is_behind = whole_at(p, at + 1, 1, 31) != 0;
    int year = is_behind ? at + 2 : at + 1;

    day->month = month;
    day->day = whole_at(p, is_behind ? at + 1 : at - 1, 1, 31);
    year += token_kind(p, year, TOKEN_COMMA);
    day->year = whole_at(p, year, YEAR_FIRST, YEAR_LAST);
    *first = is_behind ? at : at - 1;
    *last = year;
    return month && day->day && day->year && day->day <= days_of(day->year, month);
}

struct test *
parse_dates_add(struct parser *p, int date, enum plan_operator op, struct day day)
{
    struct test *test = parser_add_test(p, value_of_column(p, date), op);

    parser_add_operand(
        test, (struct operand){.text = arena_printf(p->arena, "%04d-%02d-%02d",
                                                    day.year, day.month, day.day)});
    return test;
}

static bool
is_valid(struct day day)
{
    return day.year && day.day <= days_of(day.year, day.month);
}

static bool
joins(const struct parser *p, int at)
{
    return token_is(p, at, TERM_AND) || token_is(p, at, TERM_TO) ||
           token_is(p, at, TERM_UNTIL) || token_is_mark(p, at, '-');
}

/* A day whose year may be left out, around the month at `at`. */
static bool
read_part(const struct parser *p, int at, struct day *day, int *first, int *last)
{
    const int before = whole_at(p, at - 1, 1, 31), behind = whole_at(p, at + 1, 1, 31);

    *day = (struct day){.month = calendar_month(p, at), .day = before};
    *first = at - (before != 0);
    *last = at;
    if (!before && behind) {
        day->day = behind;
        *last = at + 1;
    }
    const int year = *last + 1 + token_kind(p, *last + 1, TOKEN_COMMA);
    day->year = whole_at(p, year, YEAR_FIRST, YEAR_LAST);
    *last = day->year ? year : *last;
    return day->month && day->day;
}

/* Of the one year that the dates are of; 0: they are of several. */
static int
only_year(const struct parser *p, int date)
{
    const struct column *column = &p->frame->column[date];

    return column->first_year == column->last_year ? column->first_year : 0;
}

/* "on 5 January", whose year no question about one year says. */
static bool
read_yearless(struct parser *p, int date, int at, struct day *day, int *first,
              int *last)
{
    static const enum term leads[] = {TERM_AFTER,  TERM_GREATER, TERM_SINCE, TERM_FROM,
                                      TERM_BEFORE, TERM_LESS,    TERM_UNTIL};

    if (!read_part(p, at, day, first, last) || day->year)
        return false;
    bool is_led = calendar_has_preposition(p, *first - 1);
    for (size_t i = 0; i < COUNT_OF(leads); i++)
        is_led |= token_is(p, *first - 1, leads[i]);
    day->year = only_year(p, date);
    if (!is_led || !is_valid(*day))
        return false;
    parser_note(
        p, "assume.root", token_text(p, at),
        arena_printf(p->arena, "%04d-%02d-%02d", day->year, day->month, day->day));
    return true;
}

/* "1 January to 31 March 2024", "3 to 17 March 2024": the first that is said may lack
 * what the second has. */
static bool
read_range(const struct parser *p, int date, int at, struct day *from, struct day *to,
           int *first, int *last)
{
    int end, second;

    if (!read_part(p, at, from, first, &end))
        return false;
    if (joins(p, *first - 1) && whole_at(p, *first - 2, 1, 31)) {
        *to = *from;
        from->day = whole_at(p, *first - 2, 1, 31);
        *first -= 2;
        *last = end;
    } else {
        const int next = calendar_month(p, end + 2) ? end + 2 : end + 3;
        if (!joins(p, end + 1) || !read_part(p, next, to, &second, last) ||
            second != end + 2)
            return false;
        to->year = to->year ? to->year : only_year(p, date);
        if (!from->year)
            from->year = to->year - (from->month > to->month);
    }
    return is_valid(*from) && is_valid(*to);
}

static bool
take_range(struct parser *p, int date, int at)
{
    struct day from, to;
    int first, last;

    if (!read_range(p, date, at, &from, &to, &first, &last))
        return false;
    parse_dates_add(p, date, OP_GE, from);
    parse_dates_add(p, date, OP_LT, parse_dates_next(to));
    const bool is_led =
        token_is(p, first - 1, TERM_BETWEEN) || token_is(p, first - 1, TERM_FROM) ||
        token_is(p, first - 1, TERM_SINCE) || token_is(p, first - 1, TERM_IN);
    token_use(p, first - is_led, last);
    return true;
}

bool
parse_dates_take(struct parser *p, int date, int at)
{
    struct day day;
    int first, last;

    if (p->frame->column[date].kind != COLUMN_DATE)
        return false;
    if (take_range(p, date, at))
        return true;
    if (!parse_dates_read(p, at, &day, &first, &last) &&
        !read_yearless(p, date, at, &day, &first, &last))
        return false;
    int before = first - 1;
    if (token_is(p, before, TERM_AFTER) || token_is(p, before, TERM_GREATER)) {
        parse_dates_add(p, date, OP_GE, parse_dates_next(day));
    } else if (token_is(p, before, TERM_SINCE) || token_is(p, before, TERM_FROM)) {
        parse_dates_add(p, date, OP_GE, day);
    } else if (token_is(p, before, TERM_BEFORE) || token_is(p, before, TERM_LESS)) {
        parse_dates_add(p, date, OP_LT, day);
    } else if (token_is(p, before, TERM_UNTIL)) {
        parse_dates_add(p, date, OP_LT, parse_dates_next(day));
    } else {
        parse_dates_add(p, date, OP_GE, day);
        parse_dates_add(p, date, OP_LT, parse_dates_next(day));
        before += !token_is(p, before, TERM_IN) && !token_is(p, before, TERM_OF);
    }
    token_use(p, before, last);
    return true;
}

/* "revenue over 2024": one of the data's years, not a round number to exceed. */
bool
parse_dates_is_over(const struct parser *p, int date, int at)
{
    const struct column *column = &p->frame->column[date];
    int year = token_whole(p, at);

    const bool is_number = column->kind == COLUMN_NUMBER;

    return token_is(p, at - 1, TERM_OVER) && token_is_free(p, at - 1) &&
           year >= (is_number ? column->low : column->first_year) &&
           year <= (is_number ? column->high : column->last_year) && year % 500 != 0;
}
