/* Columns whose names say what rows are: "bookings" of a `booking` each, "check-ins" of
 * a date, "patients" of whom an age is. */
#include "bridge/planner/tokens/parser.h"

static bool
is_plural_at(const struct parser *p, int at)
{
    const struct item *item = p->token[at].item;
    const char *last = p->reading->words.at[item->begin + item->len - 1].text;

    return p->token[at].is_plural || (item->len > 1 && last[strlen(last) - 1] == 's');
}

/* "check-ins by hotel": of a date, what happened then; but "dates by hotel". */
static void
name_happening(struct parser *p)
{
    const struct column *column = token_column(p, 0);
    size_t dates = 0;

    if (!column || column->kind != COLUMN_DATE || !is_plural_at(p, 0) ||
        !token_is(p, 1, TERM_BY) || !token_column(p, 2) ||
        value_is_date(p, p->token[2].value))
        return;
    for (size_t i = 0; i < column->words.count; i++)
        dates += lexicon_lists(p->lexicon, "word.dating", column->words.at[i].text);
    if (dates == column->words.count)
        return;
    if (column->nulls)
        parser_add_test(p, p->token[0].value, OP_NOT_NULL);
    p->token[0].kind = TOKEN_ROWS;
    p->token[0].value = NULL;
}

/* "average age of patients by type" of a `patient`: of rows, by what is said behind. */
static void
name_rows_of(struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    if (!token_is(p, at - 1, TERM_OF) || !value_is_quantity_at(p, at - 2) || !column ||
        !p->token[at].is_plural || value_is_quantity_at(p, at) ||
        column->kind != COLUMN_TEXT || value_is_flag(p, p->token[at].value) ||
        !(token_is(p, at + 1, TERM_BY) || token_is(p, at + 1, TERM_PER) ||
          token_is(p, at + 1, TERM_EACH)) ||
        !(token_is(p, at - 3, TERM_MEAN) || token_is(p, at - 3, TERM_MEDIAN) ||
          token_is(p, at - 3, TERM_SUM)))
        return;
    parser_note(p, "assume.rows", token_text(p, at), NULL);
    p->token[at].kind = TOKEN_ROWS;
    p->token[at].value = NULL;
}

/* "share of bookings", "cancelled bookings", "bookings by hotel" of a `booking` that no
 * two rows share: rows, and no groups. */
void
parse_rows_unique(struct parser *p)
{
    name_happening(p);
    for (int i = 3; i + 1 < p->count; i++)
        name_rows_of(p, i);
    for (int i = 0; i < p->count; i++)
        if (token_is_extreme(p, i))
            return; /* "the longest bookings": which they are */
    for (int i = 0; i < p->count; i++) {
        const struct column *column = token_column(p, i);
        const int before = i - 1 - token_is(p, i - 1, TERM_OF);
        const bool is_first =
            i == 0 && (token_is(p, 1, TERM_BY) || token_is(p, 1, TERM_PER) ||
                       token_is(p, 1, TERM_EACH) || token_is(p, 1, TERM_WITH) ||
                       token_is(p, 1, TERM_WHOSE));
        const bool is_told = token_kind(p, i - 1, TOKEN_CELL) ||
                             (token_kind(p, i - 1, TOKEN_VALUE) &&
                              value_is_flag(p, p->token[i - 1].value));

        if (!column || !column->is_unique || column->kind == COLUMN_DATE ||
            value_is_quantity_at(p, i) || column->words.count != 1 ||
            !p->token[i].is_plural || p->token[i].score < 0.9f ||
            !(is_first || is_told || token_is(p, before, TERM_SHARE)))
            continue;
        p->token[i].kind = TOKEN_ROWS;
        p->token[i].value = NULL;
        p->token[i].is_noun = true;
    }
}
