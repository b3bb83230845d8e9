/* "submission year" of a date `submitted_on`: nouns for what a date tells of. */
#include "bridge/planner/tokens/parser.h"

enum {
    YEAR_FIRST = 1990, /* less may be any number */
    YEAR_LAST = 2100,
};

/* "year of sale", where "year" was read as the "date" of `sale_date`: that part. */
static enum query_part
part_in_name(const struct parser *p, int at)
{
    const struct item *item = p->token[at].item;
    const size_t ends[] = {item->begin, item->begin + item->len - 1};
    enum query_part part = PART_NONE;

    if (item->len < 2 || !token_column(p, at) ||
        token_column(p, at)->kind != COLUMN_DATE)
        return PART_NONE;
    for (size_t i = 0; i < COUNT_OF(ends) && !part; i++)
        part = parser_part(lexicon_exact(p->lexicon, &p->reading->words, ends[i], 1));
    return part == PART_DAY ? PART_NONE : part;
}

/* "per month", "every week" */
static bool
is_by_time(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_part(p, i) && p->token[i].item->len > 1)
            return true;
    return false;
}

/* "in the first half of 2024", "since March" */
static bool
says_when(const struct parser *p, int from)
{
    for (int i = from; i < p->count; i++)
        if (token_kind(p, i, TOKEN_DATE) || token_is_this(p, i) ||
            (token_kind(p, i, TOKEN_TERM) && p->token[i].term >= TERM_JANUARY &&
             p->token[i].term <= TERM_SECOND_HALF) ||
            (token_kind(p, i, TOKEN_NUMBER) && p->token[i].number >= YEAR_FIRST &&
             p->token[i].number <= YEAR_LAST))
            return true;
    return false;
}

/* "tickets resolved by month", "how many applied in 2024", "applied for a job": when or
 * that they were, whatever they are now. */
static bool
is_done_then(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_CELL) && p->token[at].item->len == 1 &&
           words_ends_in_ed(p->token[at].text) && token_kind(p, at - 1, TOKEN_ROWS) &&
           !token_is(p, at + 1, TERM_AND) && !token_is(p, at + 1, TERM_OR) &&
           (is_by_time(p) || says_when(p, at + 1) || token_is(p, at + 1, TERM_FOR));
}

/* "by 2023 revenue": the revenue of 2023. */
static void
name_year_first(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        const double year = token_kind(p, i, TOKEN_NUMBER) ? p->token[i].number : 0;

        if (year >= YEAR_FIRST && year <= YEAR_LAST && year <= (double)(int)year &&
            value_is_quantity_at(p, i + 1) && !token_is_bound(p, i - 1) &&
            token_is_beside(&p->token[i], &p->token[i + 1]))
            token_bring_forward(p, i + 1, i);
    }
}

/* "which check-in month": a month, and not each date. */
static void
name_part_behind(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++)
        if (token_is(p, i - 1, TERM_WHICH) && token_kind(p, i, TOKEN_VALUE) &&
            value_is_date(p, p->token[i].value) && token_part(p, i + 1))
            token_become(p, i, i + 1,
                         value_of_part(p, p->token[i].value, token_part(p, i + 1)));
}

void
parse_dated(struct parser *p)
{
    name_year_first(p);
    name_part_behind(p);
    for (int i = 0; i < p->count; i++) {
        const enum query_part part = part_in_name(p, i);

        if (part)
            token_become(p, i, i, value_of_part(p, p->token[i].value, part));
    }
    for (int i = 0; i < p->count; i++) {
        const bool is_beside = token_part(p, i + 1) ||
                               (token_is(p, i - 1, TERM_OF) && token_part(p, i - 2));
        const int date =
            (is_beside && token_kind(p, i, TOKEN_UNKNOWN)) || is_done_then(p, i)
                ? parser_roots_date(p, p->token[i].text)
                : PARSER_ROOTS_NONE;

        if (date < 0)
            continue;
        parser_note(p, "assume.column", token_text(p, i), p->frame->column[date].name);
        token_become(p, i, i, value_of_column(p, date));
    }
}
