/* Bounds of numbers and days, said in another order than the operators read. */
#include "bridge/planner/tokens/parser.h"

/* "5+ nights", "65+": as "at least 5 nights". */
void
parse_bounds_plus(struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        const bool is_listed = /* "18-34, 35-54, 55+" */
            token_kind(p, i - 3, TOKEN_NUMBER) &&
            (token_kind(p, i - 2, TOKEN_COMMA) || token_is(p, i - 2, TERM_AND));

        if (!token_is_plus_behind(p, i) || is_listed)
            continue;
        p->token[i].kind = TOKEN_TERM;
        p->token[i].term = TERM_GREATER_EQUAL;
        token_bring_forward(p, i, i - 1);
    }
}

/* "or more", "at most" */
static bool
is_least_or_most(const struct parser *p, int at)
{
    return token_is(p, at, TERM_GREATER_EQUAL) || token_is(p, at, TERM_LESS_EQUAL);
}

/* "6 times or more", "4.5 stars or more": as "at least 6 times". */
static void
put_bounds_first(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++) {
        bool is_counted =
            token_is(p, i + 1, TERM_TIMES) || token_is(p, i + 1, TERM_UNIT) ||
            value_is_quantity_at(p, i + 1) ||
            (token_kind(p, i + 1, TOKEN_ROWS) && p->token[i + 1].is_plural) ||
            (token_kind(p, i + 1, TOKEN_TERM) &&
             parser_part(p->token[i + 1].term) != PART_NONE);
        if (!token_kind(p, i, TOKEN_NUMBER) || !is_counted ||
            !is_least_or_most(p, i + 2) ||
            token_kind(p, i + 3, TOKEN_NUMBER) || /* "3-7 days and over 7 days" */
            !(p->token[i + 2].text[0] == 'o' || p->token[i + 2].text[0] == 'a') ||
            strcmp(p->token[i + 2].text, "at") == 0)
            continue;
        token_bring_forward(p, i + 2, i);
    }
}

/* What is left where rows beyond a bound are left out; TERM_NONE: it is no bound. */
static enum term
opposite_bound(const struct parser *p, int at)
{
    static const struct {
        enum term said, left;
    } bounds[] = {
        {TERM_OVER,          TERM_LESS_EQUAL   },
        {TERM_GREATER,       TERM_LESS_EQUAL   },
        {TERM_LESS,          TERM_GREATER_EQUAL},
        {TERM_GREATER_EQUAL, TERM_LESS         },
        {TERM_LESS_EQUAL,    TERM_GREATER      },
    };

    for (size_t i = 0; i < COUNT_OF(bounds); i++)
        if (token_is(p, at, bounds[i].said))
            return bounds[i].left;
    return TERM_NONE;
}

/* "excluding orders with a price under 5": those of at least 5. */
static void
turn_excluded(struct parser *p)
{
    bool has_rows = false;

    for (int i = 0; i + 4 < p->count; i++) {
        const int with = i + 2, number = i + 5;
        const enum term left = opposite_bound(p, number - 1);

        has_rows |= token_kind(p, i, TOKEN_ROWS);
        if (!token_is(p, i, TERM_EXCEPT) || !token_kind(p, i + 1, TOKEN_ROWS) ||
            !(token_is(p, with, TERM_WITH) || token_is(p, with, TERM_WHOSE)) ||
            !value_is_quantity_at(p, with + 1) || !left ||
            !token_kind(p, number, TOKEN_NUMBER))
            continue;
        p->token[number - 1].term = left;
        if (has_rows)
            token_drop(p, i, i + 1); /* "number of orders" */
        else
            p->token[i].term = TERM_OF;
        return;
    }
}

/* "15 or more minutes late": as "at least 15 minutes". */
static void
put_bounds_before_units(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++)
        if (token_kind(p, i, TOKEN_NUMBER) && is_least_or_most(p, i + 1) &&
            p->token[i + 1].text[0] == 'o' &&
            (token_is(p, i + 2, TERM_UNIT) || token_part(p, i + 2) != PART_NONE) &&
            !token_kind(p, i + 3, TOKEN_NUMBER))
            token_bring_forward(p, i + 1, i);
}

/* "patients 65 and over", "are 18 or younger": of what stands before, as "over 65". */
static void
put_bounds_of_age(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++)
        if (token_kind(p, i, TOKEN_NUMBER) && is_least_or_most(p, i + 1) &&
            (p->token[i + 1].text[0] == 'a' || p->token[i + 1].text[0] == 'o') &&
            strcmp(p->token[i + 1].text, "at") != 0 &&
            (token_kind(p, i - 1, TOKEN_ROWS) || token_is(p, i - 1, TERM_IS) ||
             token_is(p, i - 1, TERM_WHOSE)) &&
            !token_kind(p, i + 2, TOKEN_NUMBER) && !value_is_quantity_at(p, i + 2) &&
            !token_is(p, i + 2, TERM_UNIT))
            token_bring_forward(p, i + 1, i);
}

/* "more than 10 minutes of delay": as "a delay of more than 10 minutes". */
static void
put_measured_first(struct parser *p)
{
    const unsigned units = FLAG_UNIT | FLAG_DAYS | FLAG_HOURS | FLAG_MINUTES;

    for (int i = 0; i + 4 < p->count; i++) {
        const bool is_unit =
            token_is(p, i + 2, TERM_UNIT) || token_part(p, i + 2) != PART_NONE ||
            (token_kind(p, i + 2, TOKEN_VALUE) && token_flags(p, i + 2) & units &&
             p->token[i + 2].item->len == 1);

        if (!token_is_bound(p, i) || !token_kind(p, i + 1, TOKEN_NUMBER) || !is_unit ||
            !token_is(p, i + 3, TERM_OF) || !value_is_quantity_at(p, i + 4))
            continue;
        if (token_kind(p, i + 2, TOKEN_VALUE)) {
            p->token[i + 2].kind = TOKEN_TERM;
            p->token[i + 2].term = TERM_UNIT;
        }
        token_drop(p, i + 3, i + 3);
        token_bring_forward(p, i + 4, i);
    }
}

/* "over magnitude 5", "between magnitude 3 and 4": the number that is meant stands
 * before its bounds. */
static void
put_bounds_behind(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++)
        if ((token_is_bound(p, i) || token_is(p, i, TERM_BETWEEN)) &&
            value_is_quantity_at(p, i + 1) && p->token[i + 1].item->len == 1 &&
            token_kind(p, i + 2, TOKEN_NUMBER) && !value_is_quantity_at(p, i - 1) &&
            !(token_is(p, i, TERM_BETWEEN) && !token_is(p, i + 3, TERM_AND)))
            token_bring_forward(p, i + 1, i);
}

/* "exceeded a price of 100", "over 100 in price": of that number, as "price over 100".
 */
static void
drop_of_bounds(struct parser *p)
{
    for (int i = 0; i + 3 < p->count; i++) {
        if (!token_is_bound(p, i))
            continue;
        if (value_is_quantity_at(p, i + 1) && token_is(p, i + 2, TERM_OF) &&
            token_kind(p, i + 3, TOKEN_NUMBER)) {
            token_drop(p, i + 2, i + 2);
            token_bring_forward(p, i + 1, i);
            token_bring_forward(p, i + 3, i + 2);
        } else if (token_kind(p, i + 1, TOKEN_NUMBER) && token_is(p, i + 2, TERM_IN) &&
                   value_is_quantity_at(p, i + 3)) {
            token_drop(p, i + 2, i + 2);
            token_bring_forward(p, i + 3, i);
        }
    }
}

/* "marks at least 20 above the forecast", "20 marks below it": of the difference. */
static void
name_difference(struct parser *p, int bound)
{
    const bool has_unit =
        value_is_quantity_at(p, bound + 2) || token_is(p, bound + 2, TERM_UNIT);
    const int side = bound + 2 + has_unit, other = side + 1,
              before = bound - 1 - token_is(p, bound - 1, TERM_IS),
              what = value_is_quantity_at(p, before) ? before : bound + 2;
    const bool is_below = token_is(p, side, TERM_LESS);

    if (!token_is_bound(p, bound) || !token_kind(p, bound + 1, TOKEN_NUMBER) ||
        !(is_below || token_is(p, side, TERM_GREATER) ||
          token_is(p, side, TERM_OVER)) ||
        !value_is_quantity_at(p, what) || !value_is_quantity_at(p, other) ||
        query_value_is_same(p->token[what].value, p->token[other].value))
        return;
    const struct value *one = p->token[what].value, *two = p->token[other].value;
    struct token named = p->token[what];
    named.value = value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                               .op = '-',
                                               .left = is_below ? two : one,
                                               .right = is_below ? one : two});
    const struct token least = p->token[bound], number = p->token[bound + 1];
    const int first = what < bound ? what : bound;
    token_drop(p, first, other);
    p->token[first] = named;
    p->token[first + 1] = least;
    p->token[first + 2] = number;
}

/* "an amount from 500 to 1000": between the two. */
static void
name_from_to(struct parser *p)
{
    for (int i = 1; i + 3 < p->count; i++)
        if (token_is(p, i, TERM_FROM) && token_is(p, i + 2, TERM_TO) &&
            value_is_quantity_at(p, i - 1) && token_kind(p, i + 1, TOKEN_NUMBER) &&
            token_kind(p, i + 3, TOKEN_NUMBER)) {
            p->token[i].term = TERM_BETWEEN;
            p->token[i + 2].term = TERM_AND;
        }
}

/* "the minimum and the maximum of the rates": no bound, where no number follows. */
static void
name_extremes(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++)
        if (is_least_or_most(p, i) && !token_kind(p, i + 1, TOKEN_NUMBER) &&
            lexicon_lists(p->lexicon, "word.minmax", p->token[i].text))
            p->token[i].term = token_is(p, i, TERM_LESS_EQUAL) ? TERM_MAX : TERM_MIN;
}

static bool
is_day_at(const struct parser *p, int at)
{
    if (token_kind(p, at, TOKEN_DATE) || token_kind(p, at, TOKEN_NUMBER))
        return true;
    return token_kind(p, at, TOKEN_TERM) &&
           ((p->token[at].term >= TERM_JANUARY && p->token[at].term <= TERM_DECEMBER) ||
            (p->token[at].term >= TERM_MONDAY && p->token[at].term <= TERM_SUNDAY));
}

/* "1 June through 31 August", "Monday through Friday" */
static void
name_through(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++)
        if (token_is(p, i, TERM_OVER) && strcmp(p->token[i].text, "through") == 0 &&
            is_day_at(p, i - 1) && is_day_at(p, i + 1))
            p->token[i].term = TERM_TO;
}

void
parse_bounds(struct parser *p)
{
    put_bounds_first(p);
    put_bounds_before_units(p);
    put_bounds_of_age(p);
    put_measured_first(p);
    put_bounds_behind(p);
    drop_of_bounds(p);
    turn_excluded(p);
    for (int i = 0; i + 3 < p->count; i++)
        name_difference(p, i);
    name_from_to(p);
    name_extremes(p);
    name_through(p);
}
