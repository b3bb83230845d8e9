/* derive: the time from one row of somebody to their next: "days between two orders of
 * the same customer". */
#include "bridge/planner/durations/parse_durations.h"

static bool
is_word(const struct parser *p, int at, const char *list)
{
    return token_kind(p, at, TOKEN_UNKNOWN) &&
           lexicon_lists(p->lexicon, list, p->token[at].text);
}

/* "two", "consecutive", "one" */
static int
behind_consecutive(const struct parser *p, int at)
{
    while ((token_kind(p, at, TOKEN_NUMBER) && p->token[at].number >= 1 &&
            p->token[at].number <= 2) ||
           is_word(p, at, "word.consecutive") || token_is_pronoun(p, at))
        at++;
    return at;
}

/* "visit and the next", "visit and the next visit": the token behind it; `at`: none. */
static int
behind_next(const struct parser *p, int at)
{
    const int next = at + token_is(p, at, TERM_AND);

    if (next == at || !is_word(p, next, "word.next"))
        return at;
    return next + 1 +
           (token_kind(p, next + 1, TOKEN_ROWS) && !token_is(p, next + 1, TERM_OF));
}

static bool
joins(const struct parser *p, int at)
{
    return token_is(p, at, TERM_OF) || token_is(p, at, TERM_BY) ||
           token_is(p, at, TERM_FOR) || token_is(p, at, TERM_FROM) ||
           token_is(p, at, TERM_AGAIN) || token_is(p, at, TERM_EQUAL) ||
           (token_is(p, at, TERM_IN) && token_is(p, at + 1, TERM_AGAIN));
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

/* What is asked of all the gaps: the mean, the longest. */
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

/* What follows one another. */
struct events {
    int at;  /* "visits" */
    int end; /* the last token that says of what the gaps are */
    int key; /* whose they are; -1: all that there are */
    int date;
    bool is_pair;     /* "two visits", "one visit and the next" */
    struct test test; /* what makes them such: "two cancellations" */
};

static bool
is_event(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_ROWS) || token_names_rows(p, at) ||
           (at < p->count && p->token[at].is_noun);
}

/* "cancellation": what happened to some of the rows. */
static bool
is_state(struct parser *p, int at, struct test *test)
{
    if (token_kind(p, at, TOKEN_VALUE) && value_is_flag(p, p->token[at].value)) {
        *test = (struct test){.of = p->token[at].value, .op = OP_EQ};
        return true;
    }
    return (token_kind(p, at, TOKEN_UNKNOWN) || token_kind(p, at, TOKEN_CELL)) &&
           parser_roots_find(p, p->token[at].text, test);
}

/* "two fatal crashes" */
static int
behind_cells(const struct parser *p, int at)
{
    while (token_kind(p, at, TOKEN_CELL) && token_kind(p, at + 1, TOKEN_ROWS))
        at++;
    return at;
}

/* "stretch of days", "time": not "salary", of "outside Vienna". */
static bool
names_time(const struct parser *p, int at)
{
    enum query_part unit = PART_NONE;
    bool is_time = false;

    for (int i = parse_durations_begin(p, at, &unit); i < at; i++)
        is_time |= token_is(p, i, TERM_TIMES) || token_is(p, i, TERM_DAY) ||
                   is_word(p, i, "word.lags");
    return is_time;
}

/* "stretch of days without any sample": the same as between two of them. */
static bool
find_without(struct parser *p, int at, struct events *events)
{
    const int i = behind_cells(p, behind_consecutive(p, at + 1));

    const bool is_cell = token_kind(p, i, TOKEN_CELL); /* it chooses the rows */

    *events = (struct events){.at = i + is_cell, .end = i, .key = -1, .is_pair = true};
    if (!(token_is(p, at, TERM_NOT) || token_is(p, at, TERM_EXCEPT)) ||
        !names_time(p, at) ||
        (!is_cell && !is_event(p, i) && !is_state(p, i, &events->test)))
        return false;
    events->end += is_word(p, i + 1, "word.happens");
    events->end += token_is(p, events->end + 1, TERM_IN) && events->end + 2 == p->count;
    events->date = parser_roots_time(p);
    return events->date >= 0 && p->frame->column[events->date].kind == COLUMN_DATE;
}

static bool
find_events(struct parser *p, int at, struct events *events)
{
    const bool is_gap = token_is(p, at, TERM_DIFFERENCE) && /* "gap between" */
                        lexicon_lists(p->lexicon, "word.lags", p->token[at].text);
    if (!token_is(p, at, TERM_BETWEEN) && !is_gap)
        return false;
    const int begin = behind_consecutive(p, at + 1), i = behind_cells(p, begin);
    const int next = behind_next(p, i + 1);
    const bool is_date = token_kind(p, i, TOKEN_VALUE) &&
                         value_is_date(p, p->token[i].value) && next > i + 1;

    *events = (struct events){.at = i, .is_pair = begin > at + 1};
    if (!is_date && !is_event(p, i) && !is_state(p, i, &events->test))
        return false;
    if (next == i + 1 && (!p->token[i].is_plural || i >= p->count))
        return false;
    events->key = key_behind(p, next, &events->end);
    if (events->key < 0)
        events->end = next - 1;
    events->date = is_date ? p->token[i].value->column : parser_roots_time(p);
    return events->date >= 0 && p->frame->column[events->date].kind == COLUMN_DATE &&
           (events->key < 0 || !p->frame->column[events->key].is_unique);
}

/* "how many days lie", "how long is it on average": where the words for the time end;
 * *reduce is what stands behind them, or stays. */
static int
end_of_time(const struct parser *p, int at, enum query_aggregate *reduce)
{
    for (; at > 0; at--) {
        if (token_is(p, at - 1, TERM_MEAN))
            *reduce = REDUCE_MEAN;
        else if (token_is(p, at - 1, TERM_MEDIAN))
            *reduce = REDUCE_MEDIAN;
        else if (!is_word(p, at - 1, "word.passes"))
            break;
    }
    return at;
}

/* "longest" of a length, which is not meant: of `odo_mi`. */
static bool
is_length_of_rank(const struct parser *p, int at)
{
    const struct word *words = p->reading->words.at;

    return token_kind(p, at, TOKEN_VALUE) && token_is_extreme(p, at - 1) &&
           words[p->token[at].item->begin].begin ==
               words[p->token[at - 1].item->begin].begin;
}

/* Leaves the gaps, and what is said of the rows: "between two fatal crashes". */
static void
leave_value(struct parser *p, int begin, int at, const struct events *events,
            const struct value *value)
{
    begin -= is_length_of_rank(p, begin - 1);
    const int said = behind_consecutive(p, at + 1);

    if (said == events->at) {
        token_become(p, begin, events->end, value);
        return;
    }
    token_drop(p, events->at + 1, events->end);
    token_become(p, begin, said - 1, value);
}

bool
parse_gaps(struct parser *p, int at)
{
    enum query_aggregate reduce = REDUCE_NONE;
    enum query_part unit = PART_NONE;
    struct events events;

    const bool is_without = find_without(p, at, &events);
    if (!is_without && !find_events(p, at, &events))
        return false;
    const bool is_asked = is_asked_reduced(p);
    if (events.key < 0 && !(events.is_pair && is_asked))
        return false;
    const int stop = end_of_time(p, at, &reduce);
    int begin = parse_durations_begin(p, stop, &unit);
    if (begin == stop)
        begin = at;
    const struct value *value = value_make(
        p, (struct value){.kind = VALUE_GAP,
                          .part = unit ? unit : PART_DAY,
                          .left = value_of_column(p, events.date),
                          .right =
                              events.key < 0 ? NULL : value_of_column(p, events.key)});

    if (events.test.of)
        *parser_add_test(p, events.test.of, events.test.op) = events.test;
    if (token_is(p, at, TERM_DIFFERENCE)) /* of no two sides */
        p->wants_compare = p->query->is_difference = false;
    leave_value(p, begin, at, &events, value);
    if (!is_asked)
        parser_note(p, "assume.mean", p->frame->column[events.date].name, NULL);
    if (!is_asked || (reduce && begin < stop)) {
        parser_add_amount(p, reduce ? reduce : REDUCE_MEAN, value);
        token_use(p, begin, begin);
    }
    return true;
}

void
parse_gaps_finish(struct parser *p)
{
    struct query *query = p->query;
    const struct value *key = query->keys == 1 ? query->key[0] : NULL;

    for (unsigned i = 0; key && key->kind == VALUE_COLUMN && i < query->amounts; i++) {
        const struct value *of = query->amount[i].of;

        if (!of || of->kind != VALUE_GAP || of->right)
            continue;
        struct value *own = value_make(p, *of);
        own->right = key;
        query->amount[i].of = own;
    }
}
