/* calendar: times of the day: "between 9 and 17 o'clock", "after 8 pm", "22:00 to
 * 6:00".
 */
#include "bridge/planner/calendar/parse_hours.h"

#include "bridge/planner/calendar/calendar.h"

enum {
    HOURS = 24,
};

struct clock {
    int hour;
    int end;                          /* its last token */
    bool is_said, is_before, is_past; /* as a time at all; am; pm */
};

static bool
is_word(const struct parser *p, int at, const char *key)
{
    return (token_kind(p, at, TOKEN_UNKNOWN) || token_kind(p, at, TOKEN_TERM)) &&
           lexicon_lists(p->lexicon, key, p->token[at].text);
}

/* "22:00", "8 pm", "17 o'clock", "9", "midnight"; whole hours alone. */
static bool
read_clock(const struct parser *p, int at, struct clock *clock)
{
    *clock = (struct clock){.end = at};
    if (is_word(p, at, "word.midnight") || is_word(p, at, "word.noon")) {
        clock->hour = is_word(p, at, "word.noon") ? 12 : HOURS;
        clock->is_said = true;
        return true;
    }
    if (!token_kind(p, at, TOKEN_NUMBER) || p->token[at].number < 0 ||
        p->token[at].number > HOURS ||
        p->token[at].number != (double)token_whole(p, at))
        return false;
    clock->hour = token_whole(p, at);
    if (at + 2 < p->count && strcmp(p->token[at + 1].text, ":") == 0 &&
        token_kind(p, at + 2, TOKEN_NUMBER)) {
        if (p->token[at + 2].number > 0)
            return false;
        clock->is_said = true;
        clock->end = at + 2;
    }
    clock->is_before = is_word(p, clock->end + 1, "word.am");
    clock->is_past = is_word(p, clock->end + 1, "word.pm");
    if (clock->is_before || clock->is_past ||
        is_word(p, clock->end + 1, "word.oclock")) {
        clock->is_said = true;
        clock->end++;
    }
    if (clock->is_past && clock->hour < 12)
        clock->hour += 12;
    return true;
}

static void
add(struct parser *p, int date, enum plan_operator op, int low, int high, bool is_not)
{
    struct test *test = parser_add_test(p, calendar_part(p, date, PART_HOUR), op);

    test->is_not = is_not;
    parser_add_operand(test, (struct operand){.is_number = true, .number = low});
    if (op == OP_BETWEEN)
        parser_add_operand(test, (struct operand){.is_number = true, .number = high});
}

/* "morning", "afternoon", "night" */
static bool
is_part_of_day(const struct parser *p, int at)
{
    static const char *const parts[] = {"word.morning", "word.afternoon",
                                        "word.evening", "word.night"};
    bool is_part = false;

    for (size_t i = 0; i < COUNT_OF(parts); i++)
        is_part |= is_word(p, at, parts[i]);
    return is_part;
}

/* "in the morning", behind the hours; *end: its last token, or as it was. */
static void
read_part_of_day(const struct parser *p, struct clock *clock, int *end)
{
    const int at = *end + 1 + token_is(p, *end + 1, TERM_IN);

    if (!is_part_of_day(p, at))
        return;
    const bool is_past =
        is_word(p, at, "word.afternoon") || is_word(p, at, "word.evening");
    if (is_past && clock->hour < 12) {
        clock->hour += 12;
        clock->is_past = true;
    }
    clock->is_said = true;
    *end = at;
}

/* Until just before the second; over midnight it is all but the hours between. */
static bool
add_range(struct parser *p, int date, struct clock from, struct clock to)
{
    if (to.is_past && !from.is_said && from.hour + 12 < to.hour)
        from.hour += 12; /* "between 2 and 5 pm" */
    from.hour %= HOURS;
    if (from.hour == to.hour)
        return false;
    if (from.hour < to.hour)
        add(p, date, OP_BETWEEN, from.hour, to.hour - 1, false);
    else
        add(p, date, OP_BETWEEN, to.hour, from.hour - 1, true);
    return true;
}

static bool
take_range(struct parser *p, int date, int at)
{
    struct clock from, to;

    if (!(token_is(p, at, TERM_BETWEEN) || token_is(p, at, TERM_FROM)) ||
        !read_clock(p, at + 1, &from) ||
        !(token_is(p, from.end + 1, TERM_AND) || token_is(p, from.end + 1, TERM_TO)) ||
        !read_clock(p, from.end + 2, &to))
        return false;
    int end = to.end;
    read_part_of_day(p, &to, &end);
    if (!(from.is_said || to.is_said) || !add_range(p, date, from, to))
        return false;
    calendar_use_around(p, at, end);
    return true;
}

/* "at night (22 to 6)" */
static bool
take_explained(struct parser *p, int date, int at)
{
    struct clock from, to;

    if (!is_part_of_day(p, at) || !token_is_mark(p, at + 1, '(') ||
        !read_clock(p, at + 2, &from) ||
        !(token_is(p, from.end + 1, TERM_TO) || token_is_mark(p, from.end + 1, '-')) ||
        !read_clock(p, from.end + 2, &to) || !token_is_mark(p, to.end + 1, ')') ||
        !add_range(p, date, from, to))
        return false;
    calendar_use_around(p, at, to.end + 1);
    return true;
}

static bool
take_bound(struct parser *p, int date, int at)
{
    const bool is_up = token_is(p, at, TERM_AFTER) || token_is(p, at, TERM_SINCE) ||
                       token_is(p, at, TERM_FROM),
               is_down = token_is(p, at, TERM_BEFORE) || token_is(p, at, TERM_UNTIL);
    struct clock clock;

    if (!(is_up || is_down) || !read_clock(p, at + 1, &clock) || !clock.is_said ||
        clock.hour == HOURS) /* "after midnight": until when? */
        return false;
    add(p, date, is_up ? OP_GE : OP_LT, clock.hour, 0, false);
    calendar_use_around(p, at, clock.end);
    return true;
}

/* "at 6 pm or later" */
static bool
take_open(struct parser *p, int date, int at)
{
    struct clock clock;

    if (!read_clock(p, at, &clock) || !clock.is_said)
        return false;
    const int end = clock.end + 1;
    const bool is_up = token_is(p, end, TERM_GREATER_EQUAL),
               is_down = token_is(p, end, TERM_LESS_EQUAL);
    if (!is_up && !is_down)
        return false;
    add(p, date, is_up ? OP_GE : OP_LE, clock.hour - is_down, 0, false);
    calendar_use_around(p, at, end);
    return true;
}

bool
parse_hours_take(struct parser *p, int date, int at)
{
    return p->frame->column[date].kind == COLUMN_DATE &&
           (take_explained(p, date, at) || take_range(p, date, at) ||
            take_bound(p, date, at) || take_open(p, date, at));
}
