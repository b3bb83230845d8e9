/* The first and the last date: "when was the last order", "first reading date". */
#include "bridge/planner/tokens/parser.h"

#include <strings.h>

enum {
    ROOT_LEAST = 4, /* letters */
};

static bool
is_column_of_dates(const struct parser *p, int at)
{
    return token_column(p, at) && token_column(p, at)->kind == COLUMN_DATE;
}

/* Or "date" alone, where there are several. */
static bool
is_date_at(const struct parser *p, int at)
{
    return is_column_of_dates(p, at) ||
           (token_is(p, at, TERM_DAY) && p->token[at].item->kind == ITEM_COLUMN);
}

/* The date that rows are called after: `list_date` of a "listing"; -1. */
static int
date_of_noun(const struct parser *p, int at)
{
    const char *noun = p->token[at].text;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];
        const char *name = column->words.count ? column->words.at[0].text : "";

        if (column->kind == COLUMN_DATE && strlen(name) >= ROOT_LEAST &&
            strncasecmp(noun, name, strlen(name)) == 0)
            return i;
    }
    return parser_roots_date(p, noun);
}

/* The same of what is not a name of the rows: "report" of `reported_on`; -1. */
static int
tells_date(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_UNKNOWN) || token_kind(p, at, TOKEN_VALUE) ||
                   (token_kind(p, at, TOKEN_TERM) && p->token[at].item->len == 1)
               ? date_of_noun(p, at)
               : -1;
}

/* What was taken for a date is that one, and no guess any more. */
static void
settle(struct parser *p, int at, const struct value *date)
{
    parser_unnote(p, token_text(p, at));
    if (!token_kind(p, at, TOKEN_VALUE))
        return;
    p->token[at].value = date;
    p->token[at].score = 1;
}

/* "date of the first listing", "first reading date", "date of the most recent visit" */
bool
parse_end_dates_take(struct parser *p, int at)
{
    const bool is_first = token_is(p, at, TERM_TOP) || token_is(p, at, TERM_LOW);
    const bool is_extreme = (token_is(p, at, TERM_HIGH) || token_is(p, at, TERM_LOW)) &&
                            is_date_at(p, at + 1);
    const bool is_last = (token_is(p, at, TERM_TOP) || token_is(p, at, TERM_BOTTOM)) &&
                         lexicon_lists(p->lexicon, "word.ends", p->token[at].text);
    const int noun = at + 1 + is_extreme;
    const bool has_noun = token_names_rows(p, noun) || tells_date(p, noun) >= 0;
    const int date = token_is(p, at - 1, TERM_OF) && is_date_at(p, at - 2) ? at - 2
                     : has_noun && is_date_at(p, noun + 1)                 ? noun + 1
                     : is_last && is_column_of_dates(p, at + 1)            ? at + 1
                                                                           : -1;

    if (!(is_extreme || is_last) || date < 0 || !token_is_free(p, date))
        return false;
    const int named = has_noun && noun != date ? date_of_noun(p, noun) : -1;
    const int told = is_extreme ? at + 1 : date;
    const bool is_told = named >= 0 || is_column_of_dates(p, told);
    const int time = is_told ? -1 : parser_roots_time(p); /* which says what it took */
    if (!is_told && time < 0)
        return false;
    const struct value *of = named >= 0                    ? value_of_column(p, named)
                             : is_column_of_dates(p, told) ? p->token[told].value
                                                           : value_of_column(p, time);
    parser_add_amount(p, is_first ? REDUCE_MIN : REDUCE_MAX, of);
    token_use(p, date < at ? date : at, date < at ? noun - !has_noun : date);
    settle(p, date, of);
    settle(p, told, of);
    return true;
}

/* "when was the last order delivered": the last thing that is said to be at a time. */
static int
date_that_is_told(struct parser *p, int extreme)
{
    for (int i = p->count - 1; i > 0; i--) {
        const bool is_rank = i >= extreme && i <= extreme + 1 &&
                             p->reading->words.at[p->token[i].item->begin].superlative;
        const struct column *column = token_column(p, i);

        if (!is_rank && column && column->role == ROLE_TIME &&
            p->token[i].score >= 0.6f)
            return p->token[i].value->column; /* `year_built` */
        const int date = is_rank                        ? -1
                         : token_kind(p, i, TOKEN_ROWS) ? date_of_noun(p, i)
                                                        : tells_date(p, i);
        if (date >= 0)
            return date;
    }
    return parser_roots_time(p);
}

/* "when did the data start": the word that asks for an end; -1. */
static int
find_start(const struct parser *p, bool *is_first)
{
    for (int i = 1; i < p->count; i++) {
        *is_first = lexicon_lists(p->lexicon, "word.starts", p->token[i].text);
        if (token_is_free(p, i) &&
            (*is_first || lexicon_lists(p->lexicon, "word.stops", p->token[i].text)))
            return i;
    }
    return -1;
}

static int
find_extreme(const struct parser *p, bool *is_first)
{
    for (int i = 1; i < p->count; i++) {
        *is_first = token_is(p, i, TERM_TOP) || token_is(p, i, TERM_LOW);
        if (token_is_free(p, i) && token_is_extreme(p, i))
            return i;
    }
    return -1;
}

/* "when was E10417 hired": of what one row is called. */
static bool
asks_for_one_row(const struct parser *p)
{
    for (unsigned i = 0; i < p->query->tests; i++) {
        const struct column *column = value_column(p, p->query->test[i].of);

        if (column && column->is_unique && p->query->test[i].op == OP_EQ)
            return true;
    }
    return false;
}

/* "when was the last order": a date. */
bool
parse_end_dates_when(struct parser *p)
{
    bool is_first = false;

    if (!token_is(p, 0, TERM_WHEN))
        return false;
    int at = find_extreme(p, &is_first);
    const bool is_start = at < 0;
    if (is_start)
        at = find_start(p, &is_first);
    const bool is_of_one = at < 0 && asks_for_one_row(p);
    const int date = at < 0 && !is_of_one ? -1 : date_that_is_told(p, at);
    if (date < 0)
        return false;
    parser_add_amount(p, is_first ? REDUCE_MIN : REDUCE_MAX, value_of_column(p, date));
    token_use(p, 0, 0);
    if (!is_of_one)
        token_use(p, at, at);
    if (is_start && !is_of_one && token_kind(p, at + 1, TOKEN_UNKNOWN))
        token_use(p, at + 1, at + 1); /* "start reporting" */
    for (int k = 1; k < p->count; k++) {
        const bool is_date =
            token_column(p, k) && token_column(p, k)->role == ROLE_TIME;

        if (!is_date && tells_date(p, k) != date && !(k == at + 1 && is_date_at(p, k)))
            continue;
        token_use(p, k, k);
        settle(p, k, p->query->amount[p->query->amounts - 1].of);
    }
    return true;
}
