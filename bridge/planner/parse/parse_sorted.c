/* What order is asked for: "orders from Rome, latest first", "orders by price, highest
 * first", "orders per month, latest first". */
#include "bridge/planner/tokens/parser.h"

/* Where the order is said; -1. */
static int
direction_at(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_DESCENDING) || token_is(p, i, TERM_ASCENDING))
            return i;
    return -1;
}

static bool
is_of_people(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_kind(p, i, TOKEN_ROWS) && token_flags(p, i) & FLAG_PERSON)
            return true;
    return false;
}

static int
column_called(const struct parser *p, const struct word *word)
{
    if (lexicon_flags(p->lexicon, word->stem) & FLAG_BIRTH && is_of_people(p))
        for (int i = 0; i < p->frame->columns; i++)
            if (p->frame->column[i].flags & FLAG_BIRTH &&
                p->frame->column[i].role == ROLE_TIME)
                return i;
    return value_number_called(p, word);
}

/* "cheapest first": what the superlative ranks by, as the lexicon has it: pairs of
 * words with commas between. */
static const struct words *
readings_of(const struct parser *p)
{
    const int at = direction_at(p);
    size_t len;

    return at < 0 ? NULL
                  : lexicon_rank(p->lexicon, &p->reading->words,
                                 p->token[at].item->begin, &len);
}

/* "latest first", whether or not there is a date. */
static bool
is_date_first(const struct parser *p)
{
    const struct words *readings = readings_of(p);

    for (size_t i = 0; readings && i + 1 < readings->count; i += 3) {
        if (lexicon_lists(p->lexicon, "word.dates", readings->at[i + 1].text))
            return true;
        if (column_called(p, &readings->at[i + 1]) >= 0)
            return false; /* "oldest first" of an `age` */
    }
    return false;
}

/* The column that the order is of, or -1. */
static int
column_of_rank(struct parser *p)
{
    const struct words *readings = readings_of(p);
    int column = is_date_first(p) ? parser_roots_time(p) : -1;

    for (size_t i = 0; readings && column < 0 && i + 1 < readings->count; i += 3)
        column = column_called(p, &readings->at[i + 1]);
    return column;
}

/* Whether nothing is said before it but which rows. */
static bool
is_of_rows(const struct parser *p, int at)
{
    bool has_rows = at == 0;

    for (int i = 0; i < at; i++) {
        has_rows |= token_kind(p, i, TOKEN_ROWS);
        if ((token_column(p, i) && !value_is_flag(p, p->token[i].value)) ||
            token_part(p, i) || token_is(p, i, TERM_HOW_MANY) ||
            token_is(p, i, TERM_COUNT))
            return false;
    }
    return has_rows;
}

/* "sorted by species, then by bill": what it is sorted by, if that is columns alone. */
static int
count_sorted_by(const struct parser *p, int at)
{
    int columns = 0;

    for (int i = at + 1; i < p->count; i++) {
        if (token_is(p, i, TERM_PER) || token_is(p, i, TERM_EACH) ||
            token_is(p, i, TERM_MEAN) || token_is(p, i, TERM_SUM) ||
            token_is(p, i, TERM_COUNT) || token_part(p, i))
            return 0;
        columns += token_column(p, i) != NULL;
    }
    return columns;
}

/* "sorted by date", whatever the column of dates is called. */
static bool
sort_by_time(struct parser *p, int at)
{
    const int time =
        at < p->count && lexicon_lists(p->lexicon, "word.dates", p->token[at].text)
            ? parser_roots_time(p)
            : -1;

    if (time < 0)
        return false;
    parser_note(p, "assume.column", token_text(p, at), p->frame->column[time].name);
    p->sorts_by = value_of_column(p, time);
    token_use(p, at, at);
    return true;
}

void
parse_sorted_column(struct parser *p, int at)
{
    int by = at + 1;

    while (token_kind(p, by, TOKEN_ROWS) || token_is(p, by, TERM_BY))
        by++;
    const struct column *column = token_column(p, by);
    const bool says_by = token_is(p, by - 1, TERM_BY) || p->token[at].item->len > 1;
    if (!says_by || !is_of_rows(p, at) || (!column && sort_by_time(p, by)) || !column)
        return;
    const int columns = count_sorted_by(p, at);
    if (columns > 1) {
        parser_refuse(p, "refuse.sorts", "");
        p->sorts_rows = true;
    }
    if (!value_is_date(p, p->token[by].value) &&
        (columns != 1 || column->kind != COLUMN_TEXT || column->is_mixed))
        return;
    p->sorts_by = p->token[by].value;
    token_use(p, by, by);
}

/* "sorted by price" goes up, if nothing says otherwise. */
static bool
goes_up(const struct parser *p)
{
    bool is_sorted = false;

    for (int i = 0; i < p->count; i++) {
        is_sorted |= token_is(p, i, TERM_SORT);
        if (token_is(p, i, TERM_TOP) || token_is(p, i, TERM_DESCENDING))
            return false;
    }
    return is_sorted;
}

static const struct value *
value_of_order(struct parser *p)
{
    const struct amount *amount = &p->query->amount[0];

    if (p->sorts_by)
        return p->sorts_by;
    if (p->query->amounts) { /* "orders by price" */
        p->query->amounts = 0;
        parser_unnote_aggregate(p);
        return amount->of;
    }
    const int column = column_of_rank(p);
    if (column < 0)
        return NULL;
    parser_note(p, "assume.rank", p->frame->column[column].name, NULL);
    return value_of_column(p, column);
}

/* Rows as they stand have no order: it is that of a number or a date, or of what the
 * order says. */
static void
sort_rows(struct parser *p)
{
    struct query *query = p->query;
    const struct amount *amount = &query->amount[0];

    if (p->wants_time && is_date_first(p)) /* "orders by ordered at, latest first" */
        p->wants_time = false;
    if (query->keys || p->wants_time || query->rank.is_there || query->along ||
        query->share || query->having.is_there || p->has_explicit_chart ||
        query->amounts > 1 || (query->amounts && (!amount->of || amount->per))) {
        p->is_legacy = !p->refusal;
        return;
    }
    query->rank.by = value_of_order(p);
    if (!query->rank.by)
        parser_refuse(p, "refuse.rankless", "");
    query->sorts_down &= !goes_up(p);
    query->shape = SHAPE_ROWS;
}

/* "over ascending years" */
static bool
is_direction_of_time(const struct parser *p)
{
    const int of = direction_at(p) + 1;

    return of > 0 && (token_part(p, of) ||
                      (token_column(p, of) && token_column(p, of)->role == ROLE_TIME));
}

/* "latest first" of groups: their own order where they are times, and not that of their
 * numbers; other groups have no date. */
static void
sort_groups(struct parser *p)
{
    p->query->sorts_by_key |= is_direction_of_time(p);
    if (!(p->query->keys || p->wants_time) || !is_date_first(p))
        return;
    if (!p->wants_time && !parse_shape_has_time(p))
        parser_refuse(p, "refuse.word", token_text(p, direction_at(p)));
    p->query->sorts_by_key = true;
}

void
parse_sorted(struct parser *p)
{
    if (p->sorts_rows)
        sort_rows(p);
    else if (p->query->is_sorted)
        sort_groups(p);
}
