/* calendar: from when on, until when, from when to when. */
#include "bridge/planner/calendar/parse_periods.h"

#include "bridge/planner/calendar/calendar.h"

static const char *
first_of(struct parser *p, int year, int month)
{
    return arena_printf(p->arena, "%04d-%02d-01", year, month);
}

/* "by month", "per year", "over time" */
static bool
is_along_time(const struct parser *p, int date)
{
    bool is_along = p->wants_time;

    for (int i = 0; i < p->count && !is_along; i++) {
        bool is_key = token_is(p, i - 1, TERM_BY) || token_is(p, i - 1, TERM_PER) ||
                      token_is(p, i - 1, TERM_EACH) || token_is(p, i - 1, TERM_OVER),
             is_period = token_kind(p, i, TOKEN_TERM) &&
                         parser_part(p->token[i].term) != PART_NONE;

        is_along = (is_key && token_column(p, i) == &p->frame->column[date]) ||
                   (is_period && !token_is(p, i - 1, TERM_WHICH));
    }
    return is_along;
}

/* "from 2023 on", "by month from 2023"; "orders from 2023" are that year's. */
bool
parse_periods_is_open(struct parser *p, int date, int at)
{
    int end = calendar_month(p, at + 1) ? at + 3 : at + 2;
    bool is_on = calendar_goes_on(p, end);

    if (!token_is(p, at, TERM_FROM) || !calendar_is_year(p, end - 1))
        return false;
    if (is_on)
        token_use(p, end, end);
    return is_on || is_along_time(p, date);
}

/* "after May 20" of data of one year. */
static bool
take_day(struct parser *p, int date, int at, enum plan_operator op)
{
    const struct column *column = &p->frame->column[date];
    const int month = calendar_month(p, at + 1);
    const bool is_day = month && token_kind(p, at + 2, TOKEN_NUMBER) &&
                        p->token[at + 2].number >= 1 && p->token[at + 2].number <= 31 &&
                        !calendar_is_year(p, at + 3);

    if (!is_day || column->kind != COLUMN_DATE || column->first_year <= 0 ||
        column->first_year != column->last_year)
        return false;
    const char *text = arena_printf(p->arena, "%04d-%02d-%02d", column->first_year,
                                    month, token_whole(p, at + 2));
    parser_add_operand(parser_add_test(p, value_of_column(p, date), op),
                       (struct operand){.text = text});
    calendar_use_around(p, at, at + 2);
    return true;
}

/* "since 2023", "before March 2024", "after 2024-05-01": bounds of dates. */
bool
parse_periods_bound(struct parser *p, int date, int at)
{
    enum term term = p->token[at].term;
    bool is_after = term == TERM_AFTER || term == TERM_GREATER,
         is_up = is_after || term == TERM_SINCE || term == TERM_FROM ||
                 term == TERM_GREATER_EQUAL;
    bool takes_all = term == TERM_UNTIL || is_after || term == TERM_LESS_EQUAL;
    int month = calendar_month(p, at + 1), end = month ? at + 2 : at + 1;
    const char *text;

    if (p->frame->column[date].kind == COLUMN_NUMBER && calendar_is_year(p, at + 1)) {
        parser_add_operand(
            parser_add_test(p, value_of_column(p, date),
                            is_after    ? OP_GT
                            : is_up     ? OP_GE
                            : takes_all ? OP_LE
                                        : OP_LT),
            (struct operand){.is_number = true, .number = p->token[at + 1].number});
        calendar_use_around(p, at, at + 1);
        return true;
    }
    if (token_kind(p, at + 1, TOKEN_DATE)) {
        text = token_text(p, at + 1);
        if (strlen(text) < 7 || text[4] != '-')
            return false;
        parser_add_operand(parser_add_test(p, value_of_column(p, date),
                                           is_after    ? OP_GT
                                           : is_up     ? OP_GE
                                           : takes_all ? OP_LE
                                                       : OP_LT),
                           (struct operand){.text = text});
        calendar_use_around(p, at, at + 1);
        return true;
    }
    if (take_day(p, date, at,
                 is_after    ? OP_GT
                 : is_up     ? OP_GE
                 : takes_all ? OP_LE
                             : OP_LT))
        return true;
    if (!calendar_is_year(p, end))
        return false;
    int year = token_whole(p, end);
    if (takes_all) {
        year += month ? month == 12 : 1;
        month = month ? month % 12 + 1 : 1;
    }
    parser_add_operand(
        parser_add_test(p, value_of_column(p, date), is_up ? OP_GE : OP_LT),
        (struct operand){.text = first_of(p, year, month ? month : 1)});
    calendar_use_around(p, at, end);
    return true;
}

/* "2023 to now", "2023 or later", "2023 or earlier" */
bool
parse_periods_open(struct parser *p, int date, int at)
{
    bool is_up =
        token_is(p, at + 1, TERM_NOW) || token_is(p, at + 1, TERM_GREATER_EQUAL);

    if (!calendar_is_year(p, at) || !(is_up || token_is(p, at + 1, TERM_LESS_EQUAL)))
        return false;
    int year = token_whole(p, at);
    if (p->frame->column[date].kind == COLUMN_NUMBER)
        parser_add_operand(
            parser_add_test(p, value_of_column(p, date), is_up ? OP_GE : OP_LE),
            (struct operand){.is_number = true, .number = year});
    else
        parser_add_operand(
            parser_add_test(p, value_of_column(p, date), is_up ? OP_GE : OP_LT),
            (struct operand){.text = first_of(p, is_up ? year : year + 1, 1)});
    calendar_use_around(p, at, at + 1);
    return true;
}

/* The years of the numbers at `from` and `to`, and between. */
static struct test *
add_years(struct parser *p, int date, int from, int to)
{
    struct test *test = parser_add_test(p,
                                        p->frame->column[date].kind == COLUMN_NUMBER
                                            ? value_of_column(p, date)
                                            : calendar_part(p, date, PART_YEAR),
                                        OP_BETWEEN);

    parser_add_operand(
        test, (struct operand){.is_number = true, .number = p->token[from].number});
    parser_add_operand(
        test, (struct operand){.is_number = true, .number = p->token[to].number});
    return test;
}

/* "March to May 2024": `first` is the first month, and `at` where it all begins. */
static void
take_months(struct parser *p, int date, int at, int first)
{
    struct test *test =
        parser_add_test(p, calendar_part(p, date, PART_MONTH_NAME), OP_IN);
    const int last = first + 2, next = last + 1;

    for (int month = calendar_month(p, first); month <= calendar_month(p, last);
         month++)
        parser_add_operand(test, (struct operand){.is_number = true, .number = month});
    calendar_use_around(p, at, last);
    bool in = token_is(p, next, TERM_OF) || token_is(p, next, TERM_IN);
    if (calendar_is_year(p, next + in)) {
        calendar_add_year(p, date, p->token[next + in].number);
        token_use(p, next, next + in);
    }
}

/* "Oct-Dec 2024": months in their order. */
bool
parse_periods_months(struct parser *p, int date, int at)
{
    const int last = calendar_month(p, at + 2);

    if (!(token_is(p, at + 1, TERM_TO) || token_is(p, at + 1, TERM_UNTIL) ||
          token_is_mark(p, at + 1, '-')) ||
        p->frame->column[date].kind != COLUMN_DATE || !calendar_month(p, at) ||
        calendar_month(p, at) >= last)
        return false;
    take_months(p, date, at, at);
    return true;
}

/* "between 2020 and 2022", "from 2024-01-01 to 2024-03-31" */
void
parse_periods_range(struct parser *p, int date, int at)
{
    bool joins = token_is(p, at + 2, TERM_AND) || token_is(p, at + 2, TERM_TO) ||
                 token_is_mark(p, at + 2, '-');

    if (!joins)
        return;
    if (calendar_is_year(p, at + 1) && calendar_is_year(p, at + 3)) {
        struct test *test = add_years(p, date, at + 1, at + 3);
        if (p->wants_compare) { /* "difference between 2023 and 2024" */
            test->op = OP_IN;
            parser_add_key(p, test->of);
            p->query->is_compared = true;
        }
        calendar_use_around(p, at, at + 3);
    } else if (token_kind(p, at + 1, TOKEN_DATE) && token_kind(p, at + 3, TOKEN_DATE)) {
        struct test *test = parser_add_test(p, value_of_column(p, date), OP_BETWEEN);
        parser_add_operand(test, (struct operand){.text = token_text(p, at + 1)});
        parser_add_operand(test, (struct operand){.text = token_text(p, at + 3)});
        calendar_use_around(p, at, at + 3);
    } else if (calendar_month(p, at + 1) &&
               calendar_month(p, at + 1) < calendar_month(p, at + 3)) {
        take_months(p, date, at, at + 1);
    }
}

/* "1995 to 2009" */
void
parse_periods_years(struct parser *p, int date, int at)
{
    if (!calendar_is_year(p, at) || !token_is(p, at + 1, TERM_TO) ||
        !calendar_is_year(p, at + 2))
        return;
    (void)add_years(p, date, at, at + 2);
    calendar_use_around(p, at, at + 2);
}
