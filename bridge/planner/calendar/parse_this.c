/* calendar: "this month", "so far this year", "this year vs last year". */
#include "bridge/planner/calendar/parse_this.h"

#include "bridge/planner/calendar/calendar.h"

/* Where "vs last month" ends that stands behind "this month" at `at`; -1. */
static int
end_of_rival(const struct parser *p, int at)
{
    const enum query_part part = token_part(p, at);

    if (part == PART_YEAR && token_is(p, at + 1, TERM_YEAR_BEFORE))
        return at + 1;
    return token_is(p, at + 1, TERM_VERSUS) && token_is(p, at + 2, TERM_BOTTOM) &&
                   token_part(p, at + 3) == part
               ? at + 3
               : -1;
}

bool
parse_this_is_compared(const struct parser *p, int at)
{
    return token_part(p, at) && token_is_this(p, at) && end_of_rival(p, at) >= 0;
}

bool
parse_this_take(struct parser *p, int date, int at)
{
    const enum query_part part = token_part(p, at);

    if (!part || part > PART_DAY || p->frame->column[date].kind != COLUMN_DATE ||
        !token_is_this(p, at))
        return false;
    const int rival = end_of_rival(p, at);
    const bool says_current =
        at > 0 && lexicon_lists(p->lexicon, "word.this", p->token[at - 1].text);
    struct test *test = parser_add_test(p, calendar_part(p, date, part), OP_EQ);

    test->last = rival < 0 ? 1 : 2;
    test->unit = part;
    if (rival >= 0) {
        parser_add_key(p, test->of);
        p->query->is_compared = true;
    }
    parser_note(p, "assume.this", p->frame->column[date].name, query_part_name(part));
    calendar_use_around(p, at, rival < 0 ? at : rival);
    if (says_current)
        token_use(p, at - 1, at - 1);
    return true;
}
