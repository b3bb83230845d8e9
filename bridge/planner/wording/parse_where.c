/* "where was the highest reading": which place it is, and how high a single one of its
 * readings. */
#include "bridge/planner/tokens/parser.h"

static bool
is_place(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];

    return column->kind == COLUMN_TEXT && column->role == ROLE_NOMINAL &&
           !column->is_unique && column_is_called(column, p->lexicon, about);
}

static bool
is_extreme(const struct parser *p, int at)
{
    return token_is(p, at, TERM_HIGH) || token_is(p, at, TERM_LOW);
}

static void
name_place(struct parser *p)
{
    bool has_extreme = false;

    for (int i = 1; i < p->count; i++)
        has_extreme |= is_extreme(p, i);
    if (!has_extreme || p->count < 3 || !token_is(p, 1, TERM_IS) ||
        !lexicon_lists(p->lexicon, "word.where", p->token[0].text))
        return;
    const int column = value_only_column(p, is_place, "word.locations");
    if (column < 0) {
        parser_refuse(p, "refuse.word", token_text(p, 0));
        return;
    }
    parser_note(p, "assume.column", token_text(p, 0), p->frame->column[column].name);
    const bool is_single = is_extreme(p, 2) && value_is_quantity_at(p, 3);
    const enum term end = token_is(p, 2, TERM_HIGH) ? TERM_MAX : TERM_MIN;
    token_put_term(p, 0, TERM_WHICH);
    token_become_other(p, 1, 1, value_of_column(p, column));
    p->wants_which = true;
    if (is_single)
        token_put_term(p, 4, end);
}

/* "reading" behind the token */
static bool
is_single_measure(const struct parser *p, int at)
{
    const struct item *item = p->token[at].item;
    const size_t next = item->begin + item->len;
    const char *text =
        next < p->reading->words.count ? p->reading->words.at[next].text : "";

    return !words_is_plural(text) && lexicon_lists(p->lexicon, "word.measures", text);
}

/* "which station had the highest PM10 reading": of them all, and not their mean. */
static void
name_single(struct parser *p)
{
    for (int i = 1; token_is(p, 0, TERM_WHICH) && i + 1 < p->count; i++)
        if (is_extreme(p, i) && value_is_quantity_at(p, i + 1) &&
            is_single_measure(p, i + 1)) {
            token_put_term(p, i + 1, token_is(p, i, TERM_HIGH) ? TERM_MAX : TERM_MIN);
            return;
        }
}

void
parse_where(struct parser *p)
{
    name_place(p);
    name_single(p);
}
