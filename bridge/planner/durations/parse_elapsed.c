/* derive: a noun that means the time between the two dates of a row: "turnaround",
 * "processing time", "delay". */
#include "bridge/planner/durations/parse_durations.h"

/* Where "of membership" behind "length" ends; `at`: it is not there. */
static int
end_of_what(const struct parser *p, int at)
{
    const bool is_of = token_is(p, at + 1, TERM_OF) || token_is(p, at + 1, TERM_FOR);
    const struct column *named = token_column(p, at + 2);
    const bool is_thing = token_kind(p, at + 2, TOKEN_UNKNOWN) ||
                          token_kind(p, at + 2, TOKEN_ROWS) ||
                          (named && named->role == ROLE_KEY);

    return is_of && is_thing ? at + 2 : at;
}

/* "delay", where no number is one: `wait_mins` of "waiting". */
static bool
is_lag(const struct parser *p, int at)
{
    const char *text = p->token[at].text;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        for (size_t k = 0; column->kind == COLUMN_NUMBER && k < column->words.count;
             k++)
            if (strlen(column->words.at[k].text) > 3 &&
                strncmp(text, column->words.at[k].text,
                        strlen(column->words.at[k].text)) == 0)
                return false;
    }
    return lexicon_lists(p->lexicon, "word.delay", text);
}

/* "hours of downtime": all of them, unless it says otherwise; false: no unit is before
 * it.
 */
static bool
take_amount_of(struct parser *p, int at, const struct value *const date[2])
{
    static const enum term reduces[] = {TERM_MEAN, TERM_MEDIAN, TERM_SUM, TERM_MAX,
                                        TERM_MIN,  TERM_HIGH,   TERM_LOW};
    const enum query_part unit =
        token_is(p, at - 1, TERM_OF) ? parse_durations_unit(p, at - 2) : PART_NONE;
    bool is_reduced = false;

    if (!unit)
        return false;
    for (size_t i = 0; i < COUNT_OF(reduces); i++)
        is_reduced |= token_is(p, at - 3, reduces[i]);
    const struct value *span = parse_durations_make(p, date[0], date[1], unit);
    parse_durations_note(p, date[0], date[1]);
    if (is_reduced) {
        token_become(p, at - 2, at, span);
        return true;
    }
    parser_add_amount(p, REDUCE_SUM, span);
    token_use(p, at - 2 - token_is(p, at - 3, TERM_HOW_MANY), at);
    return true;
}

/* "turnaround", "tenure days", "length of membership": a noun that means no other than
 * this time. */
bool
parse_elapsed(struct parser *p, int at)
{
    const struct value *date[2];
    const bool is_elapsed =
        lexicon_lists(p->lexicon, "word.elapsed", p->token[at].text);
    const int end =
        token_kind(p, at, TOKEN_UNKNOWN) && !is_elapsed ? end_of_what(p, at) : at;

    if (!token_kind(p, at, TOKEN_UNKNOWN) ||
        !(is_elapsed || (end == at && is_lag(p, at)) ||
          (end > at &&
           lexicon_lists(p->lexicon, "word.durations", p->token[at].text))) ||
        parse_spans_has_number(p) || !parse_durations_pair(p, date))
        return false;
    if (take_amount_of(p, at, date))
        return true;
    const enum query_part unit = parse_durations_unit(p, end + 1);
    const bool is_longer = unit || token_is(p, end + 1, TERM_TIMES);
    parse_durations_note(p, date[0], date[1]);
    token_become(p, at, end + is_longer,
                 parse_durations_make(p, date[0], date[1], unit));
    return true;
}

/* "median stay": how long it was, of rows that are stays or what else. */
static bool
is_stay(const struct parser *p, int at)
{
    return (token_kind(p, at, TOKEN_ROWS) || token_kind(p, at, TOKEN_UNKNOWN)) &&
           !p->token[at].is_plural &&
           lexicon_lists(p->lexicon, "word.stay", p->token[at].text) &&
           (token_is(p, at - 1, TERM_MEAN) || token_is(p, at - 1, TERM_MEDIAN) ||
            token_is(p, at - 1, TERM_HIGH) || token_is(p, at - 1, TERM_LOW) ||
            token_is(p, at - 1, TERM_MAX) || token_is(p, at - 1, TERM_MIN));
}

/* "time parked", "minutes parked" of an entry and an exit. */
bool
parse_elapsed_done(struct parser *p, int at)
{
    const struct value *date[2];
    const enum query_part unit = parse_durations_unit(p, at);
    const bool is_done =
        (unit ? p->token[at].is_plural : token_is(p, at, TERM_TIMES)) &&
        token_kind(p, at + 1, TOKEN_UNKNOWN) &&
        words_ends_in_ed(p->token[at + 1].text) && !token_kind(p, at - 1, TOKEN_NUMBER);
    const bool stays = is_stay(p, at);
    const bool is_offered = /* "days on the market" */
        !is_done && (unit ? p->token[at].is_plural : token_is(p, at, TERM_TIMES)) &&
        token_is(p, at + 1, TERM_IN) &&
        (token_kind(p, at + 2, TOKEN_UNKNOWN) || token_kind(p, at + 2, TOKEN_ROWS)) &&
        lexicon_lists(p->lexicon, "word.markets", p->token[at + 2].text);

    if (!(is_done || stays || is_offered) || parse_spans_has_number(p) ||
        !parse_durations_pair(p, date))
        return false;
    const bool has_unit = stays && token_is(p, at + 1, TERM_IN);
    const enum query_part in = has_unit ? parse_durations_unit(p, at + 2) : unit;
    parse_durations_note(p, date[0], date[1]);
    token_become(p, at, at + is_done + (is_offered || (in && has_unit) ? 2 : 0),
                 parse_durations_make(p, date[0], date[1], in));
    return true;
}

/* "turnaround time", "processing time": no column, but the table has two dates. */
bool
parse_elapsed_named(struct parser *p, int at)
{
    const struct value *date[2];
    bool asks = false;

    /* "how long" is "what length" */
    bool is_length = token_kind(p, at, TOKEN_UNKNOWN) &&
                     parse_durations_is_span(p, at) &&
                     !lexicon_lists(p->lexicon, "word.age", p->token[at].text) &&
                     token_is(p, at - 1, TERM_WHICH);
    bool is_time = token_is(p, at, TERM_TIMES) && !p->token[at].is_plural &&
                   token_kind(p, at - 1, TOKEN_UNKNOWN);
    const int next = at + 1 + token_is(p, at + 1, TERM_MEAN);
    if (!(is_length || is_time) || token_is(p, next, TERM_TO) ||
        token_is(p, next, TERM_FROM) || token_is(p, next, TERM_BETWEEN) ||
        token_is(p, next, TERM_UNTIL))
        return false;
    asks = parse_durations_asks(p, is_length ? p->count : at);
    for (int i = at + 1; is_length && i < p->count && !asks; i++)
        asks = lexicon_lists(p->lexicon, "word.took", p->token[i].text);
    if (!asks || !parse_durations_pair(p, date))
        return false;
    parse_durations_note(p, date[0], date[1]);
    token_become(p, at - 1, at, parse_durations_make(p, date[0], date[1], PART_NONE));
    for (int i = at + 1; is_length && i < at + 4 && i < p->count; i++)
        if (lexicon_lists(p->lexicon, "word.took", p->token[i].text))
            token_drop(p, i, i); /* "how long do people keep a book" */
    p->wants_which &= !is_length;
    return true;
}
