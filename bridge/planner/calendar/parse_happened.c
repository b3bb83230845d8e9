/* calendar: what has happened to some of the rows. */
#include "bridge/planner/calendar/parse_happened.h"

/* Whether other dates are there when this one is not: rows come before what happens to
 * them. */
static bool
comes_later(const struct parser *p, int date)
{
    const json_int_t nulls = p->frame->column[date].nulls;

    for (int i = 0; nulls > 0 && i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        if (column->kind == COLUMN_DATE && column->nulls >= 0 &&
            column->nulls * 2 < nulls)
            return true;
    }
    return false;
}

/* "by sold", "latest sold": the date itself. */
static bool
is_date_asked(const struct parser *p, int at)
{
    static const enum term asking[] = {
        TERM_BY,  TERM_PER, TERM_EACH, TERM_OVER,      TERM_VERSUS,   TERM_HIGH,
        TERM_LOW, TERM_MAX, TERM_MIN,  TERM_DIFFERENT, TERM_DISTINCT, TERM_SORT};

    for (size_t i = 0; i < COUNT_OF(asking); i++)
        if (token_is(p, at - 1, asking[i]))
            return true;
    return token_is(p, 0, TERM_WHEN);
}

bool
parse_happened_is_verb(const struct parser *p, int at)
{
    const struct token *token = &p->token[at];
    const struct column *column = token_column(p, at);

    if (!column || column->kind != COLUMN_DATE || column->is_clock ||
        token->item->len != 1 || is_date_asked(p, at))
        return false;
    if (words_ends_in_ed(token->text) || token_flags(p, at) & FLAG_VERBAL)
        return true;
    for (size_t i = 0; i < column->words.count; i++)
        if (lexicon_is_form(p->lexicon, token->text, column->words.at[i].text))
            return true;
    return false;
}

/* "which tool goes out the most" of a `date_out`: what it does, and not when. */
static bool
is_done_by_which(const struct parser *p, int at)
{
    return p->query->rank.is_there && p->wants_which && p->query->keys > 0 &&
           token_kind(p, at - 1, TOKEN_VALUE) && at > p->rank_at - 2;
}

/* "sold in 2024", "sold per month": rows without that date are out anyway. */
static bool
is_known_anyway(struct parser *p, int date)
{
    const struct query *query = p->query;

    for (unsigned i = 0; i < query->tests; i++)
        if (value_column(p, query->test[i].of) == &p->frame->column[date] ||
            (query->test[i].of->left &&
             value_column(p, query->test[i].of->left) == &p->frame->column[date]))
            return true;
    for (int i = 0; i < p->count; i++)
        if (token_part(p, i))
            return parser_roots_time(p) == date;
    return false;
}

bool
parse_happened_take(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    if (!is_done_by_which(p, at) && !parse_happened_is_verb(p, at))
        return false;
    const bool says_how = /* "paid by card" */
        token_is(p, at + 1, TERM_BY) && token_kind(p, at + 2, TOKEN_CELL);
    if (column->nulls > 0 && !says_how &&
        !is_known_anyway(p, p->token[at].value->column)) {
        p->at = at;
        parser_add_test(p, p->token[at].value, OP_NOT_NULL);
    }
    token_use(p, at, at);
    return true;
}

void
parse_happened_nouns(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        const struct token *token = &p->token[i];
        const int date = token_kind(p, i, TOKEN_ROWS) && !token->is_noun
                             ? parser_roots_date(p, token->text)
                             : PARSER_ROOTS_NONE;

        if (date < 0 || !comes_later(p, date) || token_is(p, i - 1, TERM_NOT) ||
            token_is(p, i - 1, TERM_EXCEPT))
            continue;
        p->at = i; /* where the test stands */
        p->token[i].is_event = true;
        struct test *test = parser_add_test(p, value_of_column(p, date), OP_NOT_NULL);
        parser_note(p, "assume.root", token_text(p, i),
                    query_test_name(p->arena, p->frame, test));
    }
    p->at = 0;
}
