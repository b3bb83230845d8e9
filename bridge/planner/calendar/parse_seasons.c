/* calendar: seasons, and halves of a year. */
#include "bridge/planner/calendar/parse_seasons.h"

#include "bridge/planner/calendar/calendar.h"

static int
season_at(const struct parser *p, int at)
{
    enum term term = token_kind(p, at, TOKEN_TERM) ? p->token[at].term : TERM_NONE;

    return term >= TERM_WINTER && term <= TERM_AUTUMN ? (int)(term - TERM_WINTER) : -1;
}

static const char *
name_of(int season)
{
    static const char *const names[] = {"winter", "spring", "summer", "autumn"};

    return names[season];
}

static void
use_lead(struct parser *p, int from)
{
    if (token_is(p, from - 1, TERM_IN) || token_is(p, from - 1, TERM_FOR))
        token_use(p, from - 1, from - 1);
}

static void
add_year(struct parser *p, int date, int at)
{
    parser_add_operand(
        parser_add_test(p, calendar_part(p, date, PART_YEAR), OP_EQ),
        (struct operand){.is_number = true, .number = p->token[at].number});
    token_use(p, at, at);
}

static bool
is_year(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_NUMBER) && token_is_free(p, at) &&
           p->token[at].number >= 1900 && p->token[at].number <= 2100;
}

/* The season that another one is joined by: "and winter", "than in winter"; -1. */
static int
next_season(const struct parser *p, int at)
{
    static const enum term joins[] = {TERM_VERSUS, TERM_AND, TERM_THAN, TERM_OR};
    const int next = at + 2 + token_is(p, at + 2, TERM_IN);

    for (size_t i = 0; i < COUNT_OF(joins); i++)
        if (token_is(p, at + 1, joins[i]) && season_at(p, next) >= 0)
            return next;
    return -1;
}

/* "summer 2023", "summer versus winter" (which compares them) */
static bool
take_season(struct parser *p, int date, int at)
{
    int end = at;

    if (season_at(p, at) == 0 && is_year(p, at + 1)) /* it has two years */
        parser_refuse(p, "refuse.word", token_text(p, at));
    if (season_at(p, at) < 0 || token_is(p, at - 1, TERM_NOT) ||
        token_is(p, at - 1, TERM_EXCEPT))
        return false;
    struct test *test = parser_add_test(p, calendar_part(p, date, PART_SEASON), OP_EQ);
    parser_add_operand(test, (struct operand){.text = name_of(season_at(p, at))});
    for (int next = next_season(p, at); next >= 0; next = next_season(p, end)) {
        end = next;
        test->op = OP_IN;
        parser_add_operand(test, (struct operand){.text = name_of(season_at(p, end))});
    }
    if (test->operands == 2) {
        parser_add_key(p, test->of);
        p->query->is_compared = true;
    }
    token_use(p, at, end);
    use_lead(p, at);
    if (is_year(p, end + 1))
        add_year(p, date, end + 1);
    parser_note(p, "assume.seasons", "", NULL);
    return true;
}

/* "the first half of 2024" */
static bool
take_half(struct parser *p, int date, int at)
{
    bool is_first = token_is(p, at, TERM_FIRST_HALF);

    if (!(is_first || token_is(p, at, TERM_SECOND_HALF)) || !is_year(p, at + 1))
        return false;
    struct test *test =
        parser_add_test(p, calendar_part(p, date, PART_MONTH_NAME), OP_BETWEEN);
    parser_add_operand(test,
                       (struct operand){.is_number = true, .number = is_first ? 1 : 7});
    parser_add_operand(
        test, (struct operand){.is_number = true, .number = is_first ? 6 : 12});
    add_year(p, date, at + 1);
    token_use(p, at, at);
    use_lead(p, at);
    return true;
}

/* "the last quarter of 2023", "the first month of 2024" */
static bool
take_end(struct parser *p, int date, int at)
{
    enum term term =
        token_kind(p, at + 1, TOKEN_TERM) ? p->token[at + 1].term : TERM_NONE;
    bool joins = token_is(p, at + 2, TERM_OF) || token_is(p, at + 2, TERM_IN);
    int year = joins ? at + 3 : at + 2;
    bool is_last = token_is(p, at, TERM_BOTTOM);

    if (!(is_last || token_is(p, at, TERM_TOP)) || !is_year(p, year) ||
        (term != TERM_QUARTER && term != TERM_MONTH))
        return false;
    const struct value *of = calendar_part(
        p, date, term == TERM_QUARTER ? PART_QUARTER_NAME : PART_MONTH_NAME);
    int last = term == TERM_QUARTER ? 4 : 12;
    parser_add_operand(
        parser_add_test(p, of, OP_EQ),
        (struct operand){.is_number = true, .number = is_last ? last : 1});
    token_use(p, at, year);
    add_year(p, date, year);
    use_lead(p, at);
    return true;
}

bool
parse_seasons_take(struct parser *p, int date, int at)
{
    if (p->frame->column[date].kind != COLUMN_DATE)
        return false;
    return take_season(p, date, at) || take_half(p, date, at) || take_end(p, date, at);
}
