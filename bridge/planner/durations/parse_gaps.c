/* derive: the time from one row of somebody to their next: "days between two orders of
 * the same customer". */
#include "bridge/planner/durations/parse_durations.h"

/* "two", "consecutive", "one visit and the next" */
static int
behind_consecutive(const struct parser *p, int at)
{
    while ((token_kind(p, at, TOKEN_NUMBER) && p->token[at].number >= 2 &&
            p->token[at].number <= 2) ||
           (token_kind(p, at, TOKEN_UNKNOWN) &&
            lexicon_lists(p->lexicon, "word.consecutive", p->token[at].text)))
        at++;
    return at;
}

static bool
joins(const struct parser *p, int at)
{
    return token_is(p, at, TERM_OF) || token_is(p, at, TERM_BY) ||
           token_is(p, at, TERM_FOR) || token_is(p, at, TERM_FROM) ||
           token_is(p, at, TERM_AGAIN) || token_is(p, at, TERM_EQUAL);
}

/* Whose rows they are; -1: that is not said. *end is its token. */
static int
key_behind(const struct parser *p, int at, int *end)
{
    bool is_joined = false;

    for (; joins(p, at); at++)
        is_joined = true;
    *end = at;
    if (!is_joined || at >= p->count)
        return -1;
    const struct column *column = token_column(p, at);
    if (token_kind(p, at, TOKEN_ROWS))
        return parse_rows_key(p, at);
    return column && column->role != ROLE_QUANTITY && column->role != ROLE_TIME
               ? p->token[at].value->column
               : -1;
}

static bool
is_asked_reduced(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_MEAN) || token_is(p, i, TERM_MEDIAN) ||
            token_is(p, i, TERM_MAX) || token_is(p, i, TERM_MIN) ||
            token_is(p, i, TERM_HIGH) || token_is(p, i, TERM_LOW) ||
            token_is(p, i, TERM_PERCENTILE))
            return true;
    return false;
}

bool
parse_gaps(struct parser *p, int at)
{
    if (!token_is(p, at, TERM_BETWEEN))
        return false;
    const int rows = behind_consecutive(p, at + 1);
    int end;

    if (rows >= p->count ||
        !(token_kind(p, rows, TOKEN_ROWS) || p->token[rows].is_noun || rows > at + 1) ||
        !p->token[rows].is_plural)
        return false;
    const int key = key_behind(p, rows + 1, &end), date = parser_roots_time(p);
    if (key < 0 || p->frame->column[key].is_unique || date < 0 ||
        p->frame->column[date].kind != COLUMN_DATE)
        return false;
    enum query_part unit = PART_NONE;
    const int begin = parse_durations_begin(p, at, &unit);
    token_become(p, begin, end,
                 value_make(p, (struct value){.kind = VALUE_GAP,
                                              .part = unit ? unit : PART_DAY,
                                              .left = value_of_column(p, date),
                                              .right = value_of_column(p, key)}));
    if (!is_asked_reduced(p)) {
        parser_add_amount(p, REDUCE_MEAN, p->token[begin].value);
        parser_note(p, "assume.mean", p->frame->column[date].name, NULL);
        token_use(p, begin, begin);
    }
    return true;
}
