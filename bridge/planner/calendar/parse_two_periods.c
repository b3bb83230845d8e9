#include "bridge/planner/calendar/parse_two_periods.h"

#include "bridge/planner/calendar/calendar.h"

struct period {
    int first, last; /* months */
    int year;
    int end; /* its last token */
};

static bool
is_between(const struct parser *p, int at)
{
    return token_is(p, at, TERM_TO) || token_is(p, at, TERM_UNTIL) ||
           token_is_mark(p, at, '-');
}

/* "first half of", "Q2", "July to September": *end is its last token. */
static bool
read_months(const struct parser *p, int at, struct period *period)
{
    const enum term term =
        token_kind(p, at, TOKEN_TERM) ? p->token[at].term : TERM_NONE;

    period->end = at;
    if (term == TERM_FIRST_HALF || term == TERM_SECOND_HALF) {
        period->first = term == TERM_FIRST_HALF ? 1 : 7;
        period->last = period->first + 5;
    } else if (term >= TERM_Q1 && term <= TERM_Q4) {
        period->first = 3 * (int)(term - TERM_Q1) + 1;
        period->last = period->first + 2;
    } else {
        period->first = period->last = calendar_month(p, at);
        if (is_between(p, at + 1) && calendar_month(p, at + 2) > period->first) {
            period->last = calendar_month(p, at + 2);
            period->end = at + 2;
        }
    }
    return period->first > 0;
}

static bool
read_period(const struct parser *p, int at, struct period *period)
{
    if (!read_months(p, at, period))
        return false;
    int year = period->end + 1;
    year += token_is(p, year, TERM_OF) || token_is(p, year, TERM_IN);
    if (!calendar_is_year(p, year))
        return false;
    period->year = (int)p->token[year].number;
    period->end = year;
    return true;
}

/* Where the second one begins; 0: nothing joins the two. */
static int
begin_of_second(const struct parser *p, int at)
{
    static const enum term joins[] = {TERM_VERSUS, TERM_AND, TERM_WITH,
                                      TERM_OR,     TERM_TO,  TERM_THAN};
    bool is_joined = false;

    for (size_t i = 0; i < COUNT_OF(joins); i++)
        is_joined |= token_is(p, at, joins[i]);
    if (!is_joined)
        return 0;
    return at + 1 + calendar_has_preposition(p, at + 1);
}

/* "how much more … than": what is asked of the two. */
static void
use_more(struct parser *p, int at)
{
    for (int i = 0; i < at; i++) {
        if (!token_is(p, i, TERM_MORE) || !token_is_free(p, i))
            continue;
        token_use(p, i, i);
        if (token_is(p, i - 1, TERM_HOW_MUCH) || token_is(p, i - 1, TERM_HOW_MANY)) {
            token_use(p, i - 1, i - 1);
            p->query->is_difference = true;
        }
    }
}

static void
add_tests(struct parser *p, int date, const struct period *one,
          const struct period *other)
{
    const bool is_one = one->first == one->last;
    struct test *months = parser_add_test(p, calendar_part(p, date, PART_MONTH_NAME),
                                          is_one ? OP_EQ : OP_BETWEEN);

    parser_add_operand(months,
                       (struct operand){.is_number = true, .number = one->first});
    if (!is_one)
        parser_add_operand(months,
                           (struct operand){.is_number = true, .number = one->last});
    const struct value *year = calendar_part(p, date, PART_YEAR);
    struct test *years = parser_add_test(p, year, OP_IN);
    parser_add_operand(years, (struct operand){.is_number = true, .number = one->year});
    parser_add_operand(years,
                       (struct operand){.is_number = true, .number = other->year});
    parser_add_key(p, year);
}

bool
parse_two_periods(struct parser *p, int date, int at)
{
    struct period one, other;

    if (p->frame->column[date].kind != COLUMN_DATE || !read_period(p, at, &one))
        return false;
    const int begin = begin_of_second(p, one.end + 1);
    if (!begin || !read_period(p, begin, &other) || one.first != other.first ||
        one.last != other.last || one.year == other.year)
        return false;
    for (int i = 0; i < p->count; i++)
        if (token_kind(p, i, TOKEN_TERM) && p->token[i].term >= TERM_WINTER &&
            p->token[i].term <= TERM_AUTUMN) /* those months, or all of the summer? */
            parser_refuse(p, "refuse.word", token_text(p, i));
    add_tests(p, date, &one, &other);
    calendar_use_around(p, at, other.end);
    use_more(p, at);
    p->query->is_compared = true;
    return true;
}
