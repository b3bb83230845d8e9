#include "bridge/planner/calendar/parse_two_periods.h"

#include "bridge/planner/calendar/calendar.h"

static bool
is_between(const struct parser *p, int at)
{
    return token_is(p, at, TERM_TO) || token_is(p, at, TERM_UNTIL) ||
           token_is_mark(p, at, '-');
}

/* "first half of", "Q2", "July to September": `end` is its last token. */
static bool
read_months(const struct parser *p, int at, bool ranges, struct period *period)
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
        period->is_quarter = true;
    } else {
        period->first = period->last = calendar_month(p, at);
        if (ranges && is_between(p, at + 1) &&
            calendar_month(p, at + 2) > period->first) {
            period->last = calendar_month(p, at + 2);
            period->end = at + 2;
        }
    }
    return period->first > 0;
}

/* "Q2 2024", "July", "2024" */
static bool
read_period(const struct parser *p, int at, bool ranges, struct period *period)
{
    *period = (struct period){.end = at};
    const bool has_months = read_months(p, at, ranges, period);
    int year = has_months ? period->end + 1 : at;

    year += has_months && (token_is(p, year, TERM_OF) || token_is(p, year, TERM_IN));
    if (!calendar_is_year(p, year))
        return has_months;
    period->year = token_whole(p, year);
    period->end = year;
    return true;
}

/* "the same months of 2023": the other one's. */
static bool
read_same(const struct parser *p, int at, struct two_periods *two)
{
    const struct item *item = at < p->count ? p->token[at].item : NULL;
    int year = at + 1;

    if (!token_is(p, at, TERM_AGAIN) ||
        !lexicon_lists(p->lexicon, "word.same",
                       p->reading->words.at[item->begin + item->len - 1].text))
        return false;
    year += token_kind(p, year, TOKEN_TERM) && parser_part(p->token[year].term);
    year += token_is(p, year, TERM_OF) || token_is(p, year, TERM_IN);
    if (!calendar_is_year(p, year))
        return false;
    two->other = two->one;
    two->other.year = token_whole(p, year);
    two->other.end = year;
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

/* ranges: "March to May" is one period, and not two. */
static bool
read_two(const struct parser *p, int at, bool ranges, struct two_periods *two)
{
    struct period *one = &two->one, *other = &two->other;

    if (!read_period(p, at, ranges, one))
        return false;
    const int begin = begin_of_second(p, one->end + 1);
    if (!begin || (!read_same(p, begin, two) && !read_period(p, begin, ranges, other)))
        return false;
    const bool are_single = one->first == one->last && other->first == other->last,
               have_names = one->first && other->first &&
                            (are_single || (one->is_quarter && other->is_quarter));
    if (!one->year && have_names)
        one->year = other->year; /* "from Q1 to Q2 2024" */
    return one->first == other->first && one->last == other->last
               ? one->year && other->year && one->year != other->year
               : have_names && one->year == other->year;
}

bool
parse_two_periods_read(const struct parser *p, int at, struct two_periods *two)
{
    return read_two(p, at, true, two) || read_two(p, at, false, two);
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
add_numbers(struct test *test, int one, int other)
{
    parser_add_operand(test, (struct operand){.is_number = true, .number = one});
    parser_add_operand(test, (struct operand){.is_number = true, .number = other});
}

/* The same months of two years. */
static void
add_years(struct parser *p, int date, const struct two_periods *two)
{
    const int first = two->one.first, last = two->one.last;

    if (first == last && first) {
        parser_add_operand(
            parser_add_test(p, calendar_part(p, date, PART_MONTH_NAME), OP_EQ),
            (struct operand){.is_number = true, .number = first});
    } else if (first) {
        add_numbers(
            parser_add_test(p, calendar_part(p, date, PART_MONTH_NAME), OP_BETWEEN),
            first, last);
    }
    const struct value *year = p->frame->column[date].kind == COLUMN_NUMBER
                                   ? value_of_column(p, date)
                                   : calendar_part(p, date, PART_YEAR);
    add_numbers(parser_add_test(p, year, OP_IN), two->one.year, two->other.year);
    parser_add_key(p, year);
}

/* Two months, or two quarters, of one year. */
static void
add_parts(struct parser *p, int date, const struct two_periods *two)
{
    const bool are_quarters = two->one.is_quarter;
    const struct value *part =
        calendar_part(p, date, are_quarters ? PART_QUARTER_NAME : PART_MONTH_NAME);
    struct test *test = parser_add_test(p, part, OP_IN);

    if (are_quarters)
        add_numbers(test, two->one.last / 3, two->other.last / 3);
    else
        add_numbers(test, two->one.first, two->other.first);
    if (two->one.year)
        calendar_add_year(p, date, two->one.year);
    parser_add_key(p, part);
}

/* "summer comparison: July to September 2024 …": the months say which, unless none of
 * them is of that season. */
static void
use_season(struct parser *p, const struct period *period)
{
    for (int i = 0; i < p->count; i++) {
        bool is_of_season = false;

        if (!token_kind(p, i, TOKEN_TERM) || p->token[i].term < TERM_WINTER ||
            p->token[i].term > TERM_AUTUMN)
            continue;
        for (int month = period->first; month <= period->last; month++)
            is_of_season |= month % 12 / 3 == (int)(p->token[i].term - TERM_WINTER);
        if (!is_of_season)
            parser_refuse(p, "refuse.word", token_text(p, i));
        token_use(p, i, i);
    }
}

/* "monthly spend, May against June": of those two. */
static void
use_grain(struct parser *p, enum query_part part)
{
    for (int i = 0; i < p->count; i++)
        if (token_kind(p, i, TOKEN_TERM) && parser_part(p->token[i].term) == part &&
            token_is_free(p, i) && token_kind(p, i + 1, TOKEN_VALUE) &&
            !token_is(p, i - 1, TERM_BY) && !token_is(p, i - 1, TERM_PER) &&
            !token_is(p, i - 1, TERM_EACH))
            token_use(p, i, i);
}

void
parse_two_periods_take(struct parser *p, int date, int at,
                       const struct two_periods *two)
{
    const bool are_years = two->one.year != two->other.year;

    (are_years ? add_years : add_parts)(p, date, two);
    use_season(p, &two->one);
    use_grain(p, are_years             ? PART_YEAR
                 : two->one.is_quarter ? PART_QUARTER
                                       : PART_MONTH);
    calendar_use_around(p, at, two->other.end);
    if (token_is(p, at - 1, TERM_BETWEEN))
        token_use(p, at - 1, at - 1);
}

bool
parse_two_periods(struct parser *p, int date, int at)
{
    struct two_periods two;

    if (!parse_two_periods_read(p, at, &two) || two.one.year == two.other.year)
        return false;
    const bool is_contest = token_is(p, two.one.end + 1, TERM_THAN);
    if (two.one.first ? p->frame->column[date].kind != COLUMN_DATE : !is_contest)
        return false; /* "2024 and 2023", "higher in 2024 than in 2023" */
    parse_two_periods_take(p, date, at, &two);
    use_more(p, at);
    p->query->is_compared = true;
    return true;
}
