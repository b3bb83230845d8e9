/* calendar: months, quarters, years, weekdays, weekends, the last n days. */
#include "bridge/planner/calendar/calendar.h"
#include "bridge/planner/calendar/parse_dates.h"
#include "bridge/planner/calendar/parse_day_parts.h"
#include "bridge/planner/calendar/parse_hours.h"
#include "bridge/planner/calendar/parse_periods.h"
#include "bridge/planner/calendar/parse_seasons.h"
#include "bridge/planner/calendar/parse_sides.h"
#include "bridge/planner/calendar/parse_this.h"
#include "bridge/planner/calendar/parse_two_periods.h"

enum {
    PERIODS_MOST = 100000, /* of "the last n hours" */
};

static int
quarter_at(const struct parser *p, int at)
{
    enum term term = token_kind(p, at, TOKEN_TERM) ? p->token[at].term : TERM_NONE;

    return term >= TERM_Q1 && term <= TERM_Q4 ? (int)(term - TERM_Q1) + 1 : 0;
}

static int
day_at(const struct parser *p, int at)
{
    enum term term = token_kind(p, at, TOKEN_TERM) ? p->token[at].term : TERM_NONE;

    return term >= TERM_MONDAY && term <= TERM_SUNDAY ? (int)(term - TERM_MONDAY) + 1
                                                      : 0;
}

static bool
is_negated(struct parser *p, int at)
{
    int before = calendar_has_preposition(p, at - 1) ? at - 2 : at - 1;

    if (!token_is(p, before, TERM_NOT) && !token_is(p, before, TERM_EXCEPT))
        return false;
    token_use(p, before, before);
    return true;
}

/* "more visitors on weekends or on weekdays": what is asked of the two. */
static void
use_more(struct parser *p, int at)
{
    for (int i = 0; i < at; i++)
        if (token_is(p, i, TERM_MORE) && token_is_free(p, i)) {
            token_use(p, i, i);
            p->is_contest = true;
        }
}

/* "more in March than in April": they are compared. */
static bool
joins_rival(const struct parser *p, int at)
{
    bool asks_more = false;

    for (int i = 0; i < at && token_is(p, at, TERM_THAN); i++)
        asks_more |= token_is(p, i, TERM_MORE) && token_is_free(p, i);
    return asks_more;
}

/* The next of several at `at`, which joins it to the one before; `at` itself: none. */
static int
next_of_several(const struct parser *p, int at,
                int (*which)(const struct parser *, int))
{
    const bool is_joined = token_is(p, at, TERM_AND) || token_is(p, at, TERM_OR) ||
                           token_is(p, at, TERM_VERSUS) ||
                           token_kind(p, at, TOKEN_COMMA) || joins_rival(p, at);
    const int next = at + 1 + token_is(p, at + 1, TERM_IN); /* "in 2022 and in 2023" */

    return is_joined && next < p->count && which(p, next) ? next : at;
}

/* Another of what a test takes, behind the token that joins it. */
static void
add_several(struct parser *p, int joint, struct test *test, struct operand operand)
{
    const bool is_rival = token_is(p, joint, TERM_THAN);

    p->wants_compare |= is_rival || token_is(p, joint, TERM_VERSUS);
    if (is_rival)
        use_more(p, joint);
    parser_add_operand(test, operand);
    test->op = OP_IN;
}

/* Groups of those that are compared. */
static void
split_compared(struct parser *p, const struct test *test)
{
    if (test->operands < 2 || !p->wants_compare)
        return;
    parser_add_key(p, test->of);
    p->query->is_compared |= test->operands == 2;
}

/* Several of a kind: "in March and April", "2023 and 2024" (which compares them). */
static int
take_several(struct parser *p, int at, struct test *test,
             int (*which)(const struct parser *, int))
{
    int end = at;

    for (int next; (next = next_of_several(p, end + 1, which)) > end + 1; end = next)
        add_several(p, end + 1, test,
                    (struct operand){.is_number = true, .number = which(p, next)});
    return end;
}

static void
take_part(struct parser *p, int date, int at, enum query_part which,
          int (*number)(const struct parser *, int))
{
    bool is_not = is_negated(p, at);
    bool has_dates = p->frame->column[date].kind == COLUMN_DATE;
    int called = has_dates ? -1 : parser_roots_grain(p, which);
    if (!has_dates && called < 0)
        parser_refuse(p, "refuse.grain", p->frame->column[date].name);
    struct test *test = parser_add_test(
        p, called >= 0 ? value_of_column(p, called) : calendar_part(p, date, which),
        OP_EQ);

    test->is_not = is_not;
    parser_add_operand(test,
                       (struct operand){.is_number = true, .number = number(p, at)});
    int end = take_several(p, at, test, number);
    bool in = token_is(p, end + 1, TERM_OF) || token_is(p, end + 1, TERM_IN);
    if (calendar_is_year(p, end + 1 + in) && end + 1 + in < p->count) {
        calendar_add_year(p, date, p->token[end + 1 + in].number);
        end += 1 + in;
    }
    calendar_use_around(p, at, end);
    split_compared(p, test);
}

static int
year_at(const struct parser *p, int at)
{
    return calendar_is_year(p, at) ? token_whole(p, at) : 0;
}

/* "the last 30 days", "last 3 months", "last year" of what the data have. */
static bool
take_last(struct parser *p, int date, int at)
{
    int unit_at = token_kind(p, at + 1, TOKEN_NUMBER) ? at + 2 : at + 1;
    enum query_part unit = token_kind(p, unit_at, TOKEN_TERM)
                               ? parser_part(p->token[unit_at].term)
                               : PART_NONE;

    bool is_first = token_is(p, at, TERM_TOP);

    if (is_first && strcmp(p->token[at].text, "top") == 0)
        return false; /* "top 5 hours": of some rank */
    if (unit && unit_at == at + 1 &&
        (calendar_month(p, at + 2) || calendar_month(p, at + 3))) {
        parser_refuse(p, "refuse.word",
                      token_text(p, at)); /* "the first week of May" */
        return false;
    }
    const int number = unit_at == at + 2 ? token_whole(p, at + 1) : 1;
    if (!unit || unit > PART_HOUR || p->frame->column[date].kind != COLUMN_DATE ||
        (is_first && unit_at == at + 1) || number < 1 || number > PERIODS_MOST)
        return false;
    struct test *test = parser_add_test(p, value_of_column(p, date), OP_GT);
    test->last = number;
    test->unit = unit;
    test->last = is_first ? -test->last : test->last;
    parser_note(p, is_first ? "assume.first" : "assume.last",
                p->frame->column[date].name, NULL);
    calendar_use_around(p, at, unit_at);
    return true;
}

static bool
is_weekend_group(const struct parser *p, int at)
{
    return token_is(p, at + 1, TERM_VERSUS) || token_is(p, at - 1, TERM_VERSUS) ||
           p->wants_compare || token_is(p, at - 1, TERM_BY) ||
           (token_is(p, at + 1, TERM_AND) &&
            token_is(p, at + 2 + calendar_has_preposition(p, at + 2), TERM_WEEKDAY)) ||
           (token_is(p, at - 1, TERM_AND) && token_is(p, at - 2, TERM_WEEKDAY)) ||
           token_is(p, at + 1, TERM_OR) || token_is(p, at - 1, TERM_OR) ||
           token_is(p, at + 1, TERM_THAN) || token_is(p, at - 1, TERM_THAN);
}

/* "at weekends and how many on weekdays": where the other stands; -1. */
static int
weekdays_behind(const struct parser *p, int at)
{
    if (!token_is(p, at + 1, TERM_AND) && !token_is(p, at + 1, TERM_VERSUS))
        return -1;
    for (int i = at + 2; i < at + 6 && i < p->count; i++) {
        if (token_is(p, i, TERM_WEEKDAY) && p->token[i].is_plural)
            return i;
        if (!token_is(p, i, TERM_HOW_MANY) && !token_is(p, i, TERM_HOW_MUCH) &&
            !calendar_has_preposition(p, i))
            return -1;
    }
    return -1;
}

/* Weekends as a condition; against weekdays they are two groups. */
static void
take_weekend(struct parser *p, int date, int at)
{
    const int behind = weekdays_behind(p, at);
    if (is_weekend_group(p, at) || behind >= 0) {
        parser_add_key(p, calendar_part(p, date, PART_WEEKEND));
        p->query->is_compared = true;
        if (behind >= 0)
            token_use(p, at + 1, behind);
        int other = token_is(p, at + 2, TERM_WEEKDAY)   ? at + 2
                    : token_is(p, at + 3, TERM_WEEKDAY) ? at + 3
                    : token_is(p, at - 2, TERM_WEEKDAY) ? at - 2
                                                        : at - 3;
        if (token_is(p, other, TERM_WEEKDAY)) {
            int from = other < at ? other : at, to = other < at ? at : other;
            calendar_use_around(p, from, to);
        }
        token_use(p, at, at);
        use_more(p, at);
        return;
    }
    bool is_not = is_negated(p, at);
    parser_add_test(p, calendar_part(p, date, PART_WEEKEND), OP_EQ)->is_not = is_not;
    calendar_use_around(p, at, at);
}

/* "on weekdays", but "by weekday". */
static bool
is_workdays(const struct parser *p, int at)
{
    bool is_against =
        (token_is(p, at + 1, TERM_AND) || token_is(p, at + 1, TERM_OR) ||
         token_is(p, at + 1, TERM_THAN) || token_is(p, at + 1, TERM_VERSUS)) &&
        (token_is(p, at + 2, TERM_WEEKEND) || token_is(p, at + 3, TERM_WEEKEND));

    return token_is(p, at, TERM_WEEKDAY) && p->token[at].is_plural && !is_against &&
           (token_is(p, at - 1, TERM_IN) || token_is(p, at - 1, TERM_FOR));
}

static const char *
day_name(int day)
{
    static const char *const days[] = {"",         "Monday", "Tuesday",  "Wednesday",
                                       "Thursday", "Friday", "Saturday", "Sunday"};

    return days[day];
}

static void
take_day(struct parser *p, int date, int at)
{
    bool is_not = is_negated(p, at);
    struct test *test = parser_add_test(p, calendar_part(p, date, PART_WEEKDAY), OP_EQ);
    int end = at;

    test->is_not = is_not;
    parser_add_operand(test, (struct operand){.text = day_name(day_at(p, at))});
    for (int next; (next = next_of_several(p, end + 1, day_at)) > end + 1; end = next)
        add_several(p, end + 1, test,
                    (struct operand){.text = day_name(day_at(p, next))});
    calendar_use_around(p, at, end);
    split_compared(p, test);
}

static void
take_year(struct parser *p, int date, int at)
{
    struct test *test;
    bool is_not = is_negated(p, at);

    calendar_add_year(p, date, p->token[at].number);
    test = &p->query->test[p->query->tests - 1];
    test->is_not = is_not;
    int end = take_several(p, at, test, year_at);
    bool is_compared = test->operands > 1;
    calendar_use_around(p, at, end);
    if (is_compared)
        parser_add_key(p, test->of);
}

static void
take(struct parser *p, int date, int at)
{
    enum term term = p->token[at].kind == TOKEN_TERM ? p->token[at].term : TERM_NONE;

    if (parse_this_take(p, date, at) || parse_seasons_take(p, date, at) ||
        parse_periods_open(p, date, at) || parse_periods_months(p, date, at))
        return;
    if (calendar_month(p, at) && parse_dates_take(p, date, at))
        return;
    if (calendar_month(p, at) &&
        !(calendar_month(p, at) == 1 && token_is(p, at + 1, TERM_TOP)))
        take_part(p, date, at, PART_MONTH_NAME, calendar_month);
    else if (quarter_at(p, at))
        take_part(p, date, at, PART_QUARTER_NAME, quarter_at);
    else if ((day_at(p, at) == 1 || calendar_month(p, at) == 1) &&
             token_is(p, at + 1, TERM_TOP) && at + 2 == p->count)
        token_use(p, at, at + 1); /* "Monday first": as they come anyway */
    else if (day_at(p, at))
        take_day(p, date, at);
    else if (term == TERM_WEEKEND)
        take_weekend(p, date, at);
    else if (is_workdays(p, at) && token_is_free(p, at)) {
        parser_add_test(p, calendar_part(p, date, PART_WEEKEND), OP_EQ)->is_not = true;
        calendar_use_around(p, at, at);
    } else if ((term == TERM_SINCE || term == TERM_BEFORE || term == TERM_AFTER ||
                term == TERM_UNTIL || term == TERM_LESS || term == TERM_GREATER ||
                parse_periods_is_open(p, date, at)) &&
               parse_periods_bound(p, date, at))
        return;
    else if (term == TERM_BOTTOM || term == TERM_TOP)
        take_last(p, date, at);
}

/* "number of claims, 2023 vs 2022": of the data's years. */
static bool
is_listed(const struct parser *p, int date, int at)
{
    const struct column *column = &p->frame->column[date];
    const int year = token_whole(p, at);

    return token_kind(p, at - 1, TOKEN_COMMA) && year >= column->first_year &&
           year <= column->last_year;
}

/* "total 2024 revenue", "average 2023 orders" */
static bool
is_of_amount(const struct parser *p, int at)
{
    static const enum term terms[] = {TERM_SUM, TERM_MEAN, TERM_MEDIAN, TERM_CUMULATIVE,
                                      TERM_ROLLING};
    bool is_behind = false;

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        is_behind |= token_is(p, at - 1, terms[i]);
    return is_behind && (token_kind(p, at + 1, TOKEN_ROWS) ||
                         (token_kind(p, at + 1, TOKEN_VALUE) &&
                          value_is_quantity(p, p->token[at + 1].value)));
}

/* "cancelled 2024" of a `CancelDt` */
static bool
is_behind_verb(const struct parser *p, int at)
{
    return token_kind(p, at - 1, TOKEN_UNKNOWN) &&
           parser_roots_date(p, p->token[at - 1].text) >= 0;
}

static bool
names_date(const struct parser *p, int date, int at)
{
    return calendar_is_year(p, at) &&
           (calendar_has_preposition(p, at - 1) || parse_dates_is_over(p, date, at) ||
            at == 0 || token_is(p, at - 1, TERM_NOT) ||
            token_is(p, at - 1, TERM_EXCEPT) || token_is(p, at - 1, TERM_VERSUS) ||
            token_is(p, at - 1, TERM_COMPARE) || is_listed(p, date, at) ||
            is_of_amount(p, at) || is_behind_verb(p, at) ||
            token_kind(p, at - 1, TOKEN_ROWS) || token_kind(p, at - 1, TOKEN_VALUE) ||
            token_is(p, at - 1, TERM_SHARE) || token_is(p, at + 1, TERM_ONLY) ||
            at + 1 == p->count);
}

/* The year that stands alone. */
static void
take_named(struct parser *p, int date, int at)
{
    if (!names_date(p, date, at))
        return;
    if (parse_dates_is_over(p, date, at))
        token_use(p, at - 1, at - 1);
    take_year(p, date, at);
}

static void
take_whole(struct parser *p, int date, int at)
{
    if (!parse_two_periods(p, date, at) && !parse_day_parts_take(p, date, at))
        (void)parse_hours_take(p, date, at);
}

static void
take_range(struct parser *p, int date, int at)
{
    if (token_is(p, at, TERM_BETWEEN) || token_is(p, at, TERM_FROM))
        parse_periods_range(p, date, at);
}

void
parse_calendar(struct parser *p)
{
    static void (*const takes[])(struct parser *, int, int) = {
        take_whole, take_range, parse_periods_years, take, take_named};
    unsigned notes = p->notes, tests = p->query->tests, keys = p->query->keys;
    int date = parser_roots_time(p);

    if (date < 0)
        return;
    for (size_t k = 0; k < COUNT_OF(takes); k++)
        for (p->at = 0; p->at < p->count; p->at++) {
            int column = calendar_column(p, date, p->at);

            if (token_is_free(p, p->at) && column != CALENDAR_NONE)
                takes[k](p, column, p->at);
        }
    if (p->has_sides && tests + 1 == p->query->tests)
        parse_sides_group(p);
    if (tests == p->query->tests && keys == p->query->keys)
        p->notes = notes; /* no time was meant */
}
