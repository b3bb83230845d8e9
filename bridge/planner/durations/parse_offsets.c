/* derive: one date of a row against another: "more than 90 days before arrival",
 * "released on the same day". */
#include "bridge/planner/durations/parse_durations.h"

enum {
    REACH = 4, /* tokens between the two dates */
};

/* The date that is told of before `at`, and not `other`; NULL. */
static const struct value *
date_before(struct parser *p, int at, const struct value *other, int *where)
{
    for (int i = at - 1; i >= 0 && i >= at - REACH; i--) {
        const struct value *date = parse_durations_date(p, i);

        if (date && (!other || !query_value_is_same(date, other))) {
            *where = i;
            return date;
        }
    }
    return NULL;
}

/* "booked more than 90 days before arrival", "filed over 10 days after the crash" */
static bool
take_offset(struct parser *p, int at)
{
    struct within within;

    if (!token_is_free(p, at) || token_is(p, at, TERM_IN) ||
        !parse_durations_within(p, at, &within))
        return false;
    const bool is_after = token_is(p, within.end + 1, TERM_AFTER);
    const int last = within.end + 2;
    const struct value *of = is_after || token_is(p, within.end + 1, TERM_BEFORE)
                                 ? parse_durations_date(p, last)
                                 : NULL;
    if (!of)
        return false;
    int first = at;
    const struct value *other = date_before(p, at, of, &first);
    const bool is_said = other != NULL;
    if (!other)
        other = is_after ? parse_durations_end(p, of) : parse_durations_other(p, of);
    if (!other)
        return false;
    const struct value *from = is_after ? of : other, *to = is_after ? other : of;
    if (!is_said)
        parse_durations_note(p, from, to);
    parser_add_operand(
        parser_add_test(p, parse_durations_make(p, from, to, within.unit), within.op),
        (struct operand){.is_number = true, .number = within.number});
    if (is_said && !token_kind(p, first, TOKEN_ROWS))
        token_use(p, first, first);
    token_use(p, at, last);
    return true;
}

/* "in the last 30 days before the race" */
static bool
take_last(struct parser *p, int at)
{
    const enum query_part unit = token_part(p, at + 2);
    const bool is_said = token_is(p, at, TERM_BOTTOM) && token_is_free(p, at) &&
                         token_kind(p, at + 1, TOKEN_NUMBER) && unit &&
                         token_is(p, at + 3, TERM_BEFORE);
    const struct value *to = is_said ? parse_durations_date(p, at + 4) : NULL;
    const int begin = at - token_is(p, at - 1, TERM_IN);
    int first = at;
    const struct value *from = to ? date_before(p, begin, to, &first) : NULL;

    if (to && !from)
        from = parse_durations_other(p, to);
    if (!from)
        return false;
    parse_durations_note(p, from, to);
    parser_add_operand(
        parser_add_test(p, parse_durations_make(p, from, to, unit), OP_LE),
        (struct operand){.is_number = true, .number = p->token[at + 1].number});
    if (first < begin && !token_kind(p, first, TOKEN_ROWS))
        token_use(p, first, first);
    token_use(p, begin, at + 4);
    return true;
}

/* The date behind "the same day": "as the order", "they were due"; NULL. */
static const struct value *
date_behind(struct parser *p, int at, const struct value *other, int *where)
{
    for (int i = at; i < p->count && i < at + REACH; i++) {
        const struct value *date = parse_durations_date(p, i);

        if (date && !query_value_is_same(date, other)) {
            *where = i;
            return date;
        }
        if (token_is(p, i, TERM_BY) || token_is(p, i, TERM_PER))
            break;
    }
    return NULL;
}

/* "returned on the same day", "in the year it was listed", "on the day of arrival" */
static bool
take_same(struct parser *p, int at)
{
    const bool is_same = token_is(p, at, TERM_AGAIN),
               is_on = token_is(p, at, TERM_IN) && token_part(p, at + 1) == PART_DAY;
    const enum query_part part = token_part(p, at + 1);
    int first = at, last = at + 1;

    if (!(is_same || is_on) || part == PART_NONE || part > PART_DAY ||
        !token_is_free(p, at))
        return false;
    const struct value *one = date_before(p, at, NULL, &first),
                       *other = one ? date_behind(p, at + 2, one, &last) : NULL;
    const bool is_said = other != NULL;
    if (one && !other && is_same)
        other = parse_durations_other(p, one);
    const struct value *date[2];
    if (!one && is_same && part == PART_DAY && parse_durations_pair(p, date)) {
        other = date[0]; /* "how often did we answer on the same day" */
        one = date[1];
    }
    if (!other || (is_on && !is_said))
        return false;
    if (!is_said)
        parse_durations_note(p, other, one);
    parser_add_test(p, value_of_part(p, one, part), OP_EQ)->than =
        value_of_part(p, other, part);
    token_use(p, token_kind(p, first, TOKEN_ROWS) ? first + 1 : first, last);
    return true;
}

bool
parse_offsets(struct parser *p, int at)
{
    return take_offset(p, at) || take_last(p, at) || take_same(p, at);
}
