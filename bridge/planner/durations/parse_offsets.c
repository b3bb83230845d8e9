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
    return take_offset(p, at) || take_same(p, at);
}
