/* How often something was done to a row, where a column tells: "loans renewed at least
 * once" of `renewals_count`. */
#include "bridge/planner/tokens/parser.h"

/* "once", "twice", "3 times": how many tokens say it, and how many times that is; 0. */
static int
times_at(const struct parser *p, int at, double *number)
{
    if (token_is(p, at, TERM_ONCE) || token_is(p, at, TERM_TWICE)) {
        *number = token_is(p, at, TERM_ONCE) ? 1 : 2;
        return 1;
    }
    if (!token_kind(p, at, TOKEN_NUMBER) || !token_is(p, at + 1, TERM_TIMES))
        return 0;
    *number = p->token[at].number;
    return 2;
}

/* Of rows, and of no key that could have done it several times. */
static bool
is_said_of_rows(const struct parser *p, int at)
{
    int before = at - 1;

    while (token_is(p, before, TERM_IS) || token_is(p, before, TERM_WHICH) ||
           token_is(p, before, TERM_WHOSE))
        before--; /* "that were" */
    return token_kind(p, before, TOKEN_ROWS) || token_kind(p, before, TOKEN_CELL);
}

/* "twice or more": as "at least twice". */
static int
bound_at(const struct parser *p, int at, int times)
{
    static const enum term bounds[] = {TERM_GREATER, TERM_GREATER_EQUAL, TERM_LESS,
                                       TERM_LESS_EQUAL, TERM_OVER};

    for (size_t i = 0; i < COUNT_OF(bounds); i++)
        if (token_is(p, at, bounds[i]))
            return at;
    return times && (token_is(p, at + times, TERM_GREATER_EQUAL) ||
                     token_is(p, at + times, TERM_LESS_EQUAL))
               ? at + times
               : -1;
}

static void
name_tally(struct parser *p, int verb)
{
    double number = 0;
    int at = verb + 1, times = times_at(p, at, &number), bound = bound_at(p, at, times);

    if (bound == at)
        times = times_at(p, ++at, &number);
    if (!times || !is_said_of_rows(p, verb))
        return;
    const int column = value_tally_of(p, p->token[verb].text);
    if (column < 0)
        return;
    parser_note(p, "assume.column", token_text(p, verb), p->frame->column[column].name);
    token_become_other(p, verb, verb, value_of_column(p, column));
    if (bound > at)
        token_bring_forward(p, bound, at++);
    p->token[at].kind = TOKEN_NUMBER;
    p->token[at].number = number;
    if (times > 1)
        token_drop(p, at + 1, at + 1);
}

void
parse_times(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++)
        if (token_kind(p, i, TOKEN_UNKNOWN) && p->token[i].item->len == 1 &&
            words_ends_in_ed(p->token[i].text))
            name_tally(p, i);
}
