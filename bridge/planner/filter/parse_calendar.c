/* filter: months, quarters, years, weekdays, weekends, the last n days. */
#include "bridge/planner/filter/parse_dates.h"
#include "bridge/planner/filter/parse_seasons.h"
#include "bridge/planner/filter/parse_units.h"

enum {
    YEAR_FIRST = 1900,
    YEAR_LAST = 2100,
};

static bool
is_year(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_NUMBER) && p->token[at].number >= YEAR_FIRST &&
           p->token[at].number <= YEAR_LAST &&
           p->token[at].number == (double)(int)p->token[at].number &&
           !p->token[at].is_used && !parse_units_is(p, at + 1);
}

static int
month_at(const struct parser *p, int at)
{
    enum term term = token_kind(p, at, TOKEN_TERM) ? p->token[at].term : TERM_NONE;

    return term >= TERM_JANUARY && term <= TERM_DECEMBER
               ? (int)(term - TERM_JANUARY) + 1
               : 0;
}

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

static const struct value *
part(struct parser *p, int date, enum query_part which)
{
    return value_make(p, (struct value){.kind = VALUE_PART,
                                        .part = which,
                                        .left = value_of_column(p, date)});
}

static bool
has_preposition(const struct parser *p, int at)
{
    return token_is(p, at, TERM_IN) || token_is(p, at, TERM_FOR) ||
           token_is(p, at, TERM_OF) || token_is(p, at, TERM_FROM) ||
           token_is(p, at, TERM_ONLY) || token_is(p, at, TERM_WHOSE) ||
           token_is(p, at, TERM_IS);
}

/* The words around it are said, too: "in", and the column "order date". */
static void
use_around(struct parser *p, int from, int to)
{
    token_use(p, from, to);
    if (has_preposition(p, from - 1))
        token_use(p, from - 1, from - 1);
    int before = has_preposition(p, from - 1) ? from - 2 : from - 1;
    if (token_column(p, before) && token_column(p, before)->kind == COLUMN_DATE)
        token_use(p, before, before);
}

static bool
is_negated(struct parser *p, int at)
{
    int before = has_preposition(p, at - 1) ? at - 2 : at - 1;

    if (!token_is(p, before, TERM_NOT) && !token_is(p, before, TERM_EXCEPT))
        return false;
    token_use(p, before, before);
    return true;
}

/* Several of a kind: "in March and April", "2023 and 2024" (which compares them). */
static int
take_several(struct parser *p, int at, struct test *test,
             int (*which)(const struct parser *, int))
{
    int end = at;

    while (end + 2 < p->count && which(p, end + 2) &&
           (token_is(p, end + 1, TERM_AND) || token_is(p, end + 1, TERM_OR) ||
            token_is(p, end + 1, TERM_VERSUS) || token_kind(p, end + 1, TOKEN_COMMA))) {
        p->wants_compare |= token_is(p, end + 1, TERM_VERSUS);
        end += 2;
        parser_add_operand(
            test, (struct operand){.is_number = true, .number = which(p, end)});
        test->op = OP_IN;
    }
    return end;
}

static void
add_year(struct parser *p, int date, double year)
{
    const struct column *column = &p->frame->column[date];
    const struct value *of = column->kind == COLUMN_NUMBER ? value_of_column(p, date)
                                                           : part(p, date, PART_YEAR);

    parser_add_operand(parser_add_test(p, of, OP_EQ),
                       (struct operand){.is_number = true, .number = year});
}

static void
take_part(struct parser *p, int date, int at, enum query_part which,
          int (*number)(const struct parser *, int))
{
    bool is_not = is_negated(p, at);
    struct test *test = parser_add_test(p, part(p, date, which), OP_EQ);

    test->is_not = is_not;
    parser_add_operand(test,
                       (struct operand){.is_number = true, .number = number(p, at)});
    int end = take_several(p, at, test, number);
    bool in = token_is(p, end + 1, TERM_OF) || token_is(p, end + 1, TERM_IN);
    if (is_year(p, end + 1 + in) && end + 1 + in < p->count) {
        add_year(p, date, p->token[end + 1 + in].number);
        end += 1 + in;
    }
    use_around(p, at, end);
    if (test->operands > 1 && p->wants_compare)
        parser_add_key(p, part(p, date, which));
}

static int
year_at(const struct parser *p, int at)
{
    return is_year(p, at) ? (int)p->token[at].number : 0;
}

static const char *
first_of(struct parser *p, int year, int month)
{
    return arena_printf(p->arena, "%04d-%02d-01", year, month);
}

/* "since 2023", "before March 2024", "after 2024-05-01": bounds of dates. */
static bool
take_bound(struct parser *p, int date, int at)
{
    enum term term = p->token[at].term;
    bool is_after = term == TERM_AFTER || term == TERM_GREATER,
         is_up = is_after || term == TERM_SINCE || term == TERM_GREATER_EQUAL;
    bool takes_all = term == TERM_UNTIL || is_after || term == TERM_LESS_EQUAL;
    int month = month_at(p, at + 1), end = month ? at + 2 : at + 1;
    const char *text;

    if (p->frame->column[date].kind == COLUMN_NUMBER && is_year(p, at + 1)) {
        parser_add_operand(
            parser_add_test(p, value_of_column(p, date),
                            is_after    ? OP_GT
                            : is_up     ? OP_GE
                            : takes_all ? OP_LE
                                        : OP_LT),
            (struct operand){.is_number = true, .number = p->token[at + 1].number});
        use_around(p, at, at + 1);
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
        use_around(p, at, at + 1);
        return true;
    }
    if (!is_year(p, end))
        return false;
    int year = (int)p->token[end].number;
    if (takes_all) {
        year += month ? month == 12 : 1;
        month = month ? month % 12 + 1 : 1;
    }
    parser_add_operand(
        parser_add_test(p, value_of_column(p, date), is_up ? OP_GE : OP_LT),
        (struct operand){.text = first_of(p, year, month ? month : 1)});
    use_around(p, at, end);
    return true;
}

/* "between 2020 and 2022", "from 2024-01-01 to 2024-03-31" */
static bool
take_range(struct parser *p, int date, int at)
{
    bool joins = token_is(p, at + 2, TERM_AND) || token_is(p, at + 2, TERM_TO) ||
                 (token_kind(p, at + 2, TOKEN_MARK) && p->token[at + 2].text[0] == '-');

    if (!joins)
        return false;
    if (is_year(p, at + 1) && is_year(p, at + 3)) {
        struct test *test = parser_add_test(p,
                                            p->frame->column[date].kind == COLUMN_NUMBER
                                                ? value_of_column(p, date)
                                                : part(p, date, PART_YEAR),
                                            OP_BETWEEN);
        parser_add_operand(test, (struct operand){.is_number = true,
                                                  .number = p->token[at + 1].number});
        parser_add_operand(test, (struct operand){.is_number = true,
                                                  .number = p->token[at + 3].number});
        if (p->wants_compare) { /* "difference between 2023 and 2024" */
            test->op = OP_IN;
            parser_add_key(p, test->of);
            p->query->is_compared = true;
        }
    } else if (token_kind(p, at + 1, TOKEN_DATE) && token_kind(p, at + 3, TOKEN_DATE)) {
        struct test *test = parser_add_test(p, value_of_column(p, date), OP_BETWEEN);
        parser_add_operand(test, (struct operand){.text = token_text(p, at + 1)});
        parser_add_operand(test, (struct operand){.text = token_text(p, at + 3)});
    } else if (month_at(p, at + 1) && month_at(p, at + 3) &&
               month_at(p, at + 1) < month_at(p, at + 3)) {
        struct test *test = parser_add_test(p, part(p, date, PART_MONTH_NAME), OP_IN);
        for (int month = month_at(p, at + 1); month <= month_at(p, at + 3); month++)
            parser_add_operand(test,
                               (struct operand){.is_number = true, .number = month});
        use_around(p, at, at + 3);
        bool in = token_is(p, at + 4, TERM_OF) || token_is(p, at + 4, TERM_IN);
        if (is_year(p, at + 4 + in)) {
            add_year(p, date, p->token[at + 4 + in].number);
            token_use(p, at + 4, at + 4 + in);
        }
        return true;
    } else {
        return false;
    }
    use_around(p, at, at + 3);
    return true;
}

/* "1995 to 2009": years alone. */
static bool
take_years(struct parser *p, int date, int at)
{
    if (!is_year(p, at) || !token_is(p, at + 1, TERM_TO) || !is_year(p, at + 2))
        return false;
    struct test *test = parser_add_test(p,
                                        p->frame->column[date].kind == COLUMN_NUMBER
                                            ? value_of_column(p, date)
                                            : part(p, date, PART_YEAR),
                                        OP_BETWEEN);
    parser_add_operand(
        test, (struct operand){.is_number = true, .number = p->token[at].number});
    parser_add_operand(
        test, (struct operand){.is_number = true, .number = p->token[at + 2].number});
    use_around(p, at, at + 2);
    return true;
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
    if (unit && unit_at == at + 1 && (month_at(p, at + 2) || month_at(p, at + 3))) {
        parser_refuse(p, "refuse.word",
                      token_text(p, at)); /* "the first week of May" */
        return false;
    }
    if (!unit || unit > PART_HOUR || p->frame->column[date].kind != COLUMN_DATE ||
        (is_first && unit_at == at + 1))
        return false;
    struct test *test = parser_add_test(p, value_of_column(p, date), OP_GT);
    test->last = unit_at == at + 2 ? (int)p->token[at + 1].number : 1;
    test->unit = unit;
    test->last = is_first ? -test->last : test->last;
    parser_note(p, is_first ? "assume.first" : "assume.last",
                p->frame->column[date].name, NULL);
    use_around(p, at, unit_at);
    return true;
}

static bool
is_weekend_group(const struct parser *p, int at)
{
    return token_is(p, at + 1, TERM_VERSUS) || token_is(p, at - 1, TERM_VERSUS) ||
           p->wants_compare || token_is(p, at - 1, TERM_BY) ||
           (token_is(p, at + 1, TERM_AND) &&
            token_is(p, at + 2 + has_preposition(p, at + 2), TERM_WEEKDAY)) ||
           (token_is(p, at - 1, TERM_AND) && token_is(p, at - 2, TERM_WEEKDAY)) ||
           token_is(p, at + 1, TERM_OR) || token_is(p, at - 1, TERM_OR);
}

/* Weekends as a condition; against weekdays they are two groups. */
static void
take_weekend(struct parser *p, int date, int at)
{
    if (is_weekend_group(p, at)) {
        parser_add_key(p, part(p, date, PART_WEEKEND));
        p->query->is_compared = true;
        int other = token_is(p, at + 2, TERM_WEEKDAY)   ? at + 2
                    : token_is(p, at + 3, TERM_WEEKDAY) ? at + 3
                    : token_is(p, at - 2, TERM_WEEKDAY) ? at - 2
                                                        : at - 3;
        if (token_is(p, other, TERM_WEEKDAY)) {
            int from = other < at ? other : at, to = other < at ? at : other;
            use_around(p, from, to);
        }
        token_use(p, at, at);
        return;
    }
    bool is_not = is_negated(p, at);
    parser_add_test(p, part(p, date, PART_WEEKEND), OP_EQ)->is_not = is_not;
    use_around(p, at, at);
}

/* "on weekdays", but "by weekday". */
static bool
is_workdays(const struct parser *p, int at)
{
    return token_is(p, at, TERM_WEEKDAY) && p->token[at].is_plural &&
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
    struct test *test = parser_add_test(p, part(p, date, PART_WEEKDAY), OP_EQ);
    int end = at;

    test->is_not = is_not;
    parser_add_operand(test, (struct operand){.text = day_name(day_at(p, at))});
    while (day_at(p, end + 2)) {
        p->wants_compare |= token_is(p, end + 1, TERM_VERSUS);
        end += 2;
        test->op = OP_IN;
        parser_add_operand(test, (struct operand){.text = day_name(day_at(p, end))});
    }
    use_around(p, at, end);
}

static void
take_year(struct parser *p, int date, int at)
{
    struct test *test;
    bool is_not = is_negated(p, at);

    add_year(p, date, p->token[at].number);
    test = &p->query->test[p->query->tests - 1];
    test->is_not = is_not;
    int end = take_several(p, at, test, year_at);
    bool is_compared = test->operands > 1;
    use_around(p, at, end);
    if (is_compared)
        parser_add_key(p, test->of);
}

static void
take(struct parser *p, int date, int at)
{
    enum term term = p->token[at].kind == TOKEN_TERM ? p->token[at].term : TERM_NONE;

    if (parse_seasons_take(p, date, at))
        return;
    if (month_at(p, at) && parse_dates_take(p, date, at, month_at(p, at)))
        return;
    if (month_at(p, at) && !(month_at(p, at) == 1 && token_is(p, at + 1, TERM_TOP)))
        take_part(p, date, at, PART_MONTH_NAME, month_at);
    else if (quarter_at(p, at))
        take_part(p, date, at, PART_QUARTER_NAME, quarter_at);
    else if ((day_at(p, at) == 1 || month_at(p, at) == 1) &&
             token_is(p, at + 1, TERM_TOP) && at + 2 == p->count)
        token_use(p, at, at + 1); /* "Monday first": as they come anyway */
    else if (day_at(p, at))
        take_day(p, date, at);
    else if (term == TERM_WEEKEND)
        take_weekend(p, date, at);
    else if (is_workdays(p, at) && token_is_free(p, at)) {
        parser_add_test(p, part(p, date, PART_WEEKEND), OP_EQ)->is_not = true;
        use_around(p, at, at);
    } else if ((term == TERM_SINCE || term == TERM_BEFORE || term == TERM_AFTER ||
                term == TERM_UNTIL || term == TERM_FROM || term == TERM_LESS ||
                term == TERM_GREATER) &&
               take_bound(p, date, at))
        return;
    else if (term == TERM_BOTTOM || term == TERM_TOP)
        take_last(p, date, at);
}

static bool
names_date(const struct parser *p, int date, int at)
{
    return is_year(p, at) &&
           (has_preposition(p, at - 1) || parse_dates_is_over(p, date, at) || at == 0 ||
            token_is(p, at - 1, TERM_NOT) || token_is(p, at - 1, TERM_EXCEPT) ||
            token_is(p, at - 1, TERM_VERSUS) || token_kind(p, at - 1, TOKEN_ROWS) ||
            token_kind(p, at - 1, TOKEN_VALUE) || at + 1 == p->count);
}

void
parse_calendar(struct parser *p)
{
    unsigned notes = p->notes, tests = p->query->tests, keys = p->query->keys;
    int date = parser_roots_time(p);

    if (date < 0)
        return;
    for (int i = 0; i < p->count; i++)
        if (token_is_free(p, i) &&
            (token_is(p, i, TERM_BETWEEN) || token_is(p, i, TERM_FROM)))
            take_range(p, date, i);
    for (int i = 0; i < p->count; i++)
        if (token_is_free(p, i))
            take_years(p, date, i);
    for (int i = 0; i < p->count; i++)
        if (token_is_free(p, i)) {
            p->at = i;
            take(p, date, i);
        }
    for (int i = 0; i < p->count; i++)
        if (token_is_free(p, i) && names_date(p, date, i)) {
            p->at = i;
            if (parse_dates_is_over(p, date, i))
                token_use(p, i - 1, i - 1);
            take_year(p, date, i);
        }
    if (tests == p->query->tests && keys == p->query->keys)
        p->notes = notes; /* no time was meant */
}
