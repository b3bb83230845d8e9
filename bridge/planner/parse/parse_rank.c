/* rank: the top n, the most and the least; order. */
#include "bridge/planner/tokens/parser.h"

static bool
is_number_of_things(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_NUMBER) && token_is_free(p, at) &&
           (token_kind(p, at + 1, TOKEN_VALUE) || token_kind(p, at + 1, TOKEN_ROWS)) &&
           (p->token[at + 1].is_plural || token_kind(p, at + 1, TOKEN_ROWS)) &&
           p->token[at].number > 1; /* "ten people" */
}

/* "five doctors with the highest …": the number that the question begins with; "for the
 * ten doctors that have the most". */
static int
number_in_front(const struct parser *p, int at)
{
    for (int i = 0; i < 2 && i + 1 < p->count; i++)
        if (is_number_of_things(p, i))
            return i;
    const int things = at - 1 - token_is(p, at - 1, TERM_WHOSE);
    return is_number_of_things(p, things - 1) ? things - 1 : -1;
}

/* "oldest member" of a `birth_date`: a person, and no date. */
static bool
take_born(struct parser *p, int at)
{
    const struct column *column = token_column(p, at + 1);

    if (!(token_is(p, at, TERM_LOW) || token_is(p, at, TERM_HIGH)) || !column ||
        !(column->flags & FLAG_BIRTH) || !token_names_rows(p, at + 2) ||
        !p->reading->words.at[p->token[at + 1].item->begin].superlative)
        return false;
    parser_add_amount(p, REDUCE_MIN, p->token[at + 1].value)->is_implied = true;
    token_use(p, at + 1, at + 1);
    return true;
}

/* "oldest build year", "latest order date": a time, not the group that has the most. */
static bool
take_extreme_time(struct parser *p, int at)
{
    const struct column *column = token_column(p, at + 1);

    const bool is_judged =
        lexicon_flags(p->lexicon, p->reading->words.at[p->token[at].item->begin].stem) &
        FLAG_JUDGING; /* "best year" */
    if (!(token_is(p, at, TERM_LOW) || token_is(p, at, TERM_HIGH)) || !column ||
        is_judged || column->role != ROLE_TIME || !token_is_free(p, at + 1) ||
        p->wants_which || take_born(p, at))
        return false;
    if ((token_is(p, at - 1, TERM_OF) && value_is_quantity_at(p, at - 2)) ||
        (token_names_rows(p, at + 2) && value_is_quantity_at(p, at + 3))) {
        parser_refuse(p, "refuse.word", token_text(p, at)); /* "latest order's price" */
        return true;
    }
    parser_add_amount(p, token_is(p, at, TERM_LOW) ? REDUCE_MIN : REDUCE_MAX,
                      p->token[at + 1].value);
    const bool says_date = /* "latest visit date" */
        token_is(p, at + 2, TERM_DAY) && !token_is(p, at + 2, TERM_EACH);
    token_use(p, at, at + 1 + says_date);
    return true;
}

static bool
has_groups(const struct parser *p, int row)
{
    for (int i = 0; i < p->count; i++) {
        const struct column *column = token_column(p, i);
        if ((i != row && column && token_is_free(p, i) && !column->is_unique &&
             !value_is_quantity(p, p->token[i].value)) ||
            (i != row && token_part(p, i) && token_is_free(p, i))) /* "per month" */
            return true;
    }
    return false;
}

/* "the largest deal of each owner": what a row amounts to, not a number of rows. */
static bool
take_extreme_row(struct parser *p, int at)
{
    int row = at + 1;

    while (token_kind(p, row, TOKEN_CELL) || token_kind(p, row, TOKEN_UNKNOWN))
        row++; /* "the largest open deal" */
    if (token_kind(p, at - 1, TOKEN_NUMBER) ||
        !lexicon_lists(p->lexicon, "word.extremes", p->token[at].text) ||
        row >= p->count || p->token[row].is_event || !token_names_rows(p, row) ||
        !has_groups(p, row))
        return false;
    int column = parser_roots_amount(p);
    if (column < 0) {
        parser_refuse(p, "refuse.word", token_text(p, at));
        return true;
    }
    parser_add_amount(p, token_is(p, at, TERM_LOW) ? REDUCE_MIN : REDUCE_MAX,
                      value_of_column(p, column));
    parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
    token_use(p, at, at);
    token_use(p, row, row);
    return true;
}

/* "highest value for each test": of the one number that is called no more than that. */
static bool
take_extreme_measure(struct parser *p, int at)
{
    size_t next = p->token[at].item->begin + p->token[at].item->len;
    bool is_named =
        next < p->reading->words.count &&
        lexicon_lists(p->lexicon, "word.measures", p->reading->words.at[next].text) &&
        !token_kind(p, at + 1, TOKEN_VALUE);
    int column = is_named ? parser_roots_measure(p) : -1;

    if (column < 0 || !(token_is(p, at, TERM_HIGH) || token_is(p, at, TERM_LOW)))
        return false;
    parser_add_amount(p, token_is(p, at, TERM_LOW) ? REDUCE_MIN : REDUCE_MAX,
                      value_of_column(p, column));
    parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
    token_use(p, at, at);
    return true;
}

/* "by level, lowest level first": the order of a key. */
static bool
take_key_order(struct parser *p, int at)
{
    bool is_order = (token_is(p, at, TERM_LOW) || token_is(p, at, TERM_HIGH)) &&
                    token_kind(p, at + 1, TOKEN_VALUE) && token_is(p, at + 2, TERM_TOP);
    bool is_key = false;

    for (int i = 1; is_order && i < at; i++)
        is_key |= token_is(p, i - 1, TERM_BY) && token_kind(p, i, TOKEN_VALUE) &&
                  query_value_is_same(p->token[i].value, p->token[at + 1].value);
    if (!is_key || token_is(p, at, TERM_HIGH))
        return false;
    p->query->is_sorted = p->query->sorts_by_key = true;
    token_use(p, at, at + 2);
    return true;
}

/* "price of the first order", "last 3 rows", "first price": neither the most of
 * anything nor rows as they stand, of which the first ones alone can be shown. */
bool
parse_rank_is_end_unknown(const struct parser *p, int at)
{
    const int of = at + 1 + token_kind(p, at + 1, TOKEN_NUMBER);

    if (!token_is_end(p, at))
        return false;
    if (of == p->count) /* "which customer ordered first" */
        return at > 0 && !p->query->rank.is_there && !p->query->is_sorted;
    if (!token_names_rows(p, of) && !token_is(p, of, TERM_ROWS))
        return of == at + 1 && token_column(p, of) && !p->token[of].is_plural &&
               !value_is_date(p, p->token[of].value);
    return !p->token[of].is_plural || token_is(p, at, TERM_BOTTOM) ||
           token_is(p, of + 1, TERM_PER) || token_is(p, of + 1, TERM_EACH) ||
           token_column(p, at - 1) || token_column(p, at - 2);
}

/* "the 5 largest", "top 5", "largest 5" */
static void
take_extreme(struct parser *p, int at)
{
    if (parse_rank_is_end_unknown(p, at)) {
        parser_refuse(p, "refuse.word", token_text(p, at));
        return;
    }
    struct query *query = p->query;
    bool is_low = token_is(p, at, TERM_LOW) || token_is(p, at, TERM_BOTTOM);
    int number = token_kind(p, at + 1, TOKEN_NUMBER)   ? at + 1
                 : token_kind(p, at - 1, TOKEN_NUMBER) ? at - 1
                 : token_kind(p, at + 1, TOKEN_VALUE) &&
                         token_kind(p, at + 2, TOKEN_NUMBER) &&
                         token_kind(p, at + 3, TOKEN_ROWS)
                     ? at + 2 /* "the oldest 5 employees" */
                     : number_in_front(p, at);

    if (number >= 0 && token_is_free(p, number) && p->token[number].number >= 1 &&
        p->token[number].number <= 10000) {
        const bool is_word = token_is(p, number + 1, TERM_SHARE) ||
                             token_is(p, number + 1, TERM_PERCENT_UNIT);

        query->rank.count = token_whole(p, number);
        query->rank.is_percent = is_word || token_has_percent(p, number);
        token_use(p, number, number + is_word);
        if (is_word && token_is(p, number + 2, TERM_OF))
            token_use(p, number + 2, number + 2);
        p->wants_share &= !is_word || p->share_at != number + 1;
    }
    if (query->rank.is_there && token_is(p, at, TERM_TOP) && at + 1 == p->count) {
        query->is_sorted = true; /* "the fewest first": an order */
        query->sorts_down = !query->rank.is_low;
        query->rank.is_there = false;
        token_use(p, at, at);
        return;
    }
    if (query->rank.is_there && p->rank_at >= 0 && (is_low != query->rank.is_low) &&
        !token_is_extreme(p, at - 1)) {
        parser_refuse(p, "refuse.rank", token_text(p, at));
        return;
    }
    query->rank.is_there = true;
    query->rank.is_low |= is_low;
    if (p->rank_at < 0 || token_is(p, p->rank_at, TERM_TOP))
        p->rank_at = at;
    token_use(p, at - token_is(p, at - 1, TERM_WHOSE), at); /* "who got the most" */
    if (token_kind(p, at - 1, TOKEN_UNKNOWN) &&
        lexicon_lists(p->lexicon, "word.spends", p->token[at - 1].text))
        token_use(p, at - 1, at - 1); /* "who paid the most in fees" */
}

/* "smallest and largest delay": both. */
static void
take_both_ends(struct parser *p, int at)
{
    bool is_low = token_is(p, at, TERM_LOW);
    int of = at + 3;

    if (!(is_low || token_is(p, at, TERM_HIGH)) || !token_is(p, at + 1, TERM_AND) ||
        !token_is(p, at + 2, is_low ? TERM_HIGH : TERM_LOW))
        return;
    if (!token_kind(p, of, TOKEN_VALUE) ||
        !value_is_quantity(p, value_wanted(p, of, true)))
        return;
    parser_add_amount(p, is_low ? REDUCE_MIN : REDUCE_MAX, value_wanted(p, of, true));
    parser_add_amount(p, is_low ? REDUCE_MAX : REDUCE_MIN, value_wanted(p, of, true));
    token_use(p, at, of);
}

void
parse_rank(struct parser *p)
{
    if (!p->query->along && parse_end_dates_when(p))
        return;
    for (int i = 0; i < p->count; i++)
        if (token_is_free(p, i))
            take_both_ends(p, i);
    for (int i = 0; i < p->count; i++)
        if (token_is_free(p, i) && token_is_extreme(p, i) && !parse_nth(p, i) &&
            !parse_end_dates_take(p, i) && !take_key_order(p, i) &&
            !take_extreme_time(p, i) && !take_extreme_row(p, i) &&
            !take_extreme_measure(p, i))
            take_extreme(p, i);
    for (int i = 0; i < p->count; i++) {
        if (token_is(p, i, TERM_DESCENDING) || token_is(p, i, TERM_ASCENDING)) {
            p->query->is_sorted = true;
            p->query->sorts_down = token_is(p, i, TERM_DESCENDING);
            token_use(p, i, i);
        } else if (token_is(p, i, TERM_ALPHABETIC)) {
            p->query->is_sorted = p->query->sorts_by_key = true;
            token_use(p, i, i);
        } else if (token_is(p, i, TERM_SORT) && token_is_free(p, i)) {
            p->query->is_sorted = true;
            p->query->sorts_down |= !token_is(p, i + 2, TERM_ASCENDING);
            token_use(p, i, i);
            const int by = i + 1 + token_kind(p, i + 1, TOKEN_ROWS);
            if (token_is(p, by, TERM_BY))
                token_use(p, by, by);
            parse_sorted_column(p, i);
        }
    }
}

/* "highest price of returned orders": a number, and none of the orders. */
bool
parse_rank_is_number(const struct parser *p)
{
    /* "the largest number of renewals on a loan" */
    const int what = p->rank_at + 1 + token_is(p, p->rank_at + 1, TERM_COUNT),
              of = what + 1;

    for (int i = 0; i <= p->rank_at; i++)
        if (token_kind(p, i, TOKEN_ROWS) ||
            (token_is(p, i, TERM_WHICH) && i + 1 < p->rank_at)) /* but "what's the" */
            return false;
    return !p->query->rank.count && token_kind(p, what, TOKEN_VALUE) &&
           (token_is(p, of, TERM_OF) || token_is(p, of, TERM_FOR) ||
            token_is(p, of, TERM_IN));
}

/* "quietest" is "lowest count": one word of the question. */
static bool
is_one_word(const struct parser *p, int at)
{
    const struct words *words = &p->reading->words;

    return token_is(p, at + 1, TERM_COUNT) &&
           words->at[p->token[at].item->begin].begin ==
               words->at[p->token[at + 1].item->begin].begin;
}

/* "quietest month by passengers": of how few of them, and not of rows. */
void
parse_rank_drop_count(struct parser *p)
{
    struct query *query = p->query;
    struct amount *amount = query->amount;
    bool is_by = false;

    if (query->amounts != 2 || p->rank_at < 0 || amount[0].of ||
        amount[0].reduce != REDUCE_COUNT || !amount[1].of ||
        !is_one_word(p, p->rank_at))
        return;
    for (int i = p->rank_at; i < p->count; i++)
        is_by |= token_is(p, i, TERM_BY) && token_kind(p, i + 1, TOKEN_VALUE) &&
                 query_value_is_same(p->token[i + 1].value, amount[1].of);
    if (!is_by)
        return;
    amount[0] = amount[1];
    query->amounts = 1;
}

/* "the longest wait on a single visit" */
static int
single_row_at(const struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        const size_t word = p->token[i].item ? p->token[i].item->begin : 0;

        if (token_kind(p, i, TOKEN_ROWS) && word > 0 &&
            lexicon_lists(p->lexicon, "word.singles",
                          p->reading->words.at[word - 1].text))
            return i;
    }
    return -1;
}

/* Where the rows stand whose extreme is looked for: not far behind it, or before "with
 * the highest price"; -1. */
static int
ranked_rows_at(const struct parser *p)
{
    if (token_is(p, p->rank_at - 1, TERM_WITH) &&
        token_kind(p, p->rank_at - 2, TOKEN_ROWS))
        return p->rank_at - 2;
    for (int at = p->rank_at + 1; p->rank_at >= 0 && at < p->count; at++) {
        if (token_kind(p, at, TOKEN_ROWS))
            return at;
        const bool is_time = token_kind(p, at, TOKEN_VALUE) && /* "to close a ticket" */
                             p->token[at].value->kind == VALUE_DURATION;
        if (is_time ||
            (!token_kind(p, at, TOKEN_VALUE) && !token_kind(p, at, TOKEN_NUMBER) &&
             !token_kind(p, at, TOKEN_CELL)))
            break;
    }
    return -1;
}

/* "which month had the most expensive order": one row says it, and not the mean of all.
 */
void
parse_rank_of_one_row(struct parser *p)
{
    struct query *query = p->query;
    struct amount *amount = &query->amount[0];
    const int single = single_row_at(p),
              rows = single >= 0 ? single : ranked_rows_at(p);

    if (rows < 0 || p->token[rows].is_plural || query->keys != 1 ||
        p->key_is_given[0] || query->amounts != 1 || !amount->of ||
        !amount->is_implied || amount->per)
        return;
    amount->reduce = query->rank.is_low ? REDUCE_MIN : REDUCE_MAX;
    amount->is_implied = false;
    parser_unnote_aggregate(p);
}

/* "the three largest claims in each region": what each amounts to, and not how many
 * there are; -1. */
static int
amount_of_counted(struct parser *p)
{
    const struct query *query = p->query;
    const bool is_count =
        query->amounts == 0 || (query->amounts == 1 && !query->amount[0].of &&
                                query->amount[0].reduce == REDUCE_COUNT);

    return is_count && p->rank_at >= 0 && !query->having.is_there && !query->along &&
                   !query->share && !query->is_compared && !p->has_explicit_chart &&
                   token_kind(p, p->rank_at + 1, TOKEN_ROWS) &&
                   !p->token[p->rank_at + 1].is_event &&
                   lexicon_lists(p->lexicon, "word.extremes", p->token[p->rank_at].text)
               ? parser_roots_amount(p)
               : -1;
}

/* "three coldest samples of each lake": rows, the best of each group; not the groups
 * whose mean is. */
bool
parse_rank_rows_of_groups(struct parser *p)
{
    struct query *query = p->query;
    const struct amount *amount = &query->amount[0];
    bool is_given = query->keys > 0 && query->shape != SHAPE_ROWS;

    for (unsigned i = 0; i < query->keys; i++)
        is_given &= p->key_is_given[i];
    const bool is_plain = query->amounts == 1 && amount->of && amount->is_implied &&
                          !amount->per && !query->having.is_there && !query->along &&
                          !query->share && !query->is_compared &&
                          !p->has_explicit_chart;
    const int counted = is_plain ? -1 : amount_of_counted(p);
    if (!is_given || !(is_plain || counted >= 0) || ranked_rows_at(p) < 0)
        return false;
    if (counted >= 0)
        parser_note(p, "assume.rank", p->frame->column[counted].name, NULL);
    query->rank.by = counted >= 0 ? value_of_column(p, counted) : amount->of;
    query->rank.is_within = true;
    query->rank.count = query->rank.count ? query->rank.count : 1;
    query->shape = SHAPE_ROWS;
    query->amounts = 0;
    parser_unnote_aggregate(p);
    return true;
}

/* "highest reading, and when": the row that has it; of no other number there is one. */
void
parse_rank_row(struct parser *p)
{
    struct query *query = p->query;
    struct amount *amount = &query->amount[0];

    const bool is_of_row =
        !query->keys && query->amounts == 1 && amount->of && !query->having.is_there &&
        (amount->reduce == REDUCE_MAX || amount->reduce == REDUCE_MIN);
    const bool asks_who = p->wants_who && is_of_row; /* "who has the highest mark" */

    if (!p->wants_row && !asks_who)
        return;
    if (!is_of_row) {
        parser_refuse(p, "refuse.rankless", "");
        return;
    }
    query->rank.is_there = true;
    query->rank.is_low = amount->reduce == REDUCE_MIN;
    query->rank.by = amount->of;
    query->shape = SHAPE_ROWS;
    query->amounts = 0;
}
