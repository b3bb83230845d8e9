/* What is ranked, in another order than the operators read: "largest lakes by area",
 * "who ran the most experiments". */
#include "bridge/planner/tokens/parser.h"

/* What rows are, or what each of them is called. */
static bool
is_row_at(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    return (token_kind(p, at, TOKEN_ROWS) && p->token[at].is_noun) ||
           (column && column->is_unique && column->kind == COLUMN_TEXT);
}

/* "the heaviest payload": a noun for rows that no list has. */
static void
name_thing_ranked(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++) {
        const struct item *item = p->token[i].item;

        if (!value_is_quantity_at(p, i) ||
            !p->reading->words.at[item->begin].superlative ||
            !(token_is(p, i - 1, TERM_HIGH) || token_is(p, i - 1, TERM_LOW)) ||
            !token_kind(p, i + 1, TOKEN_UNKNOWN) ||
            lexicon_lists(p->lexicon, "word.lags", p->token[i + 1].text) ||
            token_kind(p, i + 2, TOKEN_VALUE) || token_kind(p, i + 2, TOKEN_UNKNOWN) ||
            token_kind(p, i + 2, TOKEN_ROWS) || token_kind(p, i + 2, TOKEN_CELL))
            continue;
        parser_note(p, "assume.rows", token_text(p, i + 1), NULL);
        p->token[i + 1].kind = TOKEN_ROWS;
    }
}

/* "largest lakes by area": lakes with the largest area. */
static void
name_ranked_rows(struct parser *p)
{
    for (int i = 0; i + 3 < p->count; i++) {
        if (!(token_is(p, i, TERM_HIGH) || token_is(p, i, TERM_LOW)) ||
            !is_row_at(p, i + 1) || !token_is(p, i + 2, TERM_BY) ||
            !value_is_quantity_at(p, i + 3))
            continue;
        p->token[i + 2].term = TERM_WITH;
        token_bring_forward(p, i + 1, i);
        token_bring_forward(p, i + 2, i + 1);
    }
}

/* "which hotel has more cancellations": than the others, so the most. */
static void
name_more(struct parser *p)
{
    if (!token_is(p, 0, TERM_WHICH) || !token_kind(p, 1, TOKEN_VALUE) ||
        value_is_quantity_at(p, 1))
        return;
    for (int i = 2; i < p->count; i++)
        if (token_is(p, i, TERM_THAN) || token_is_bound(p, i) || token_is_extreme(p, i))
            return;
    for (int i = 2; i < p->count; i++)
        if (token_is(p, i, TERM_MORE))
            p->token[i].term =
                lexicon_lists(p->lexicon, "word.lessers", p->token[i].text) ? TERM_LOW
                                                                            : TERM_HIGH;
}

/* "first order of each customer", and not "and its price". */
static bool
is_end_of_each(const struct parser *p, int at)
{
    const int key = at + 3 + token_is(p, at + 3, TERM_EACH);

    for (int i = key + 1; i < p->count; i++)
        if (value_is_quantity_at(p, i) && !token_is_bound(p, i + 1))
            return false;
    return token_kind(p, at + 1, TOKEN_ROWS) && !p->token[at + 1].is_plural &&
           (token_is(p, at + 2, TERM_PER) || token_is(p, at + 2, TERM_EACH)) &&
           token_kind(p, key, TOKEN_VALUE) && !value_is_quantity_at(p, key);
}

/* "last order from Rome": all that is asked for, and by nothing else. */
static bool
is_end_of_all(const struct parser *p, int at)
{
    const int row = at + 1;

    if (at != 0 || !token_names_rows(p, row) || p->token[row].is_plural ||
        (token_kind(p, row, TOKEN_ROWS) && !p->token[row].is_noun))
        return false;
    for (int i = row + 1; i < p->count; i++)
        if (token_is(p, i, TERM_BY) || token_is(p, i, TERM_PER) ||
            token_is(p, i, TERM_EACH) || token_is_extreme(p, i))
            return false;
    return true;
}

/* Its first rows are its earliest, where one date says when a row was. */
static void
name_first_rows(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        if (!token_is_end(p, i) || !(is_end_of_each(p, i) || is_end_of_all(p, i)))
            continue;
        const int time = parser_roots_time(p);
        if (time < 0)
            return;
        p->token[i].term = token_is(p, i, TERM_BOTTOM) ? TERM_HIGH : TERM_LOW;
        token_make_room(p, i + 1, 1);
        p->token[i + 1] = p->token[i];
        token_become_other(p, i + 1, i + 1, value_of_column(p, time));
        return;
    }
}

/* "which team scored the most goals", "goals were scored": they say so themselves. */
static void
drop_scored(struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        const int before = i - 1 - token_is(p, i - 1, TERM_IS);
        const bool is_said =
            value_is_quantity_at(p, before) ||
            ((token_is(p, i + 1, TERM_HIGH) || token_is(p, i + 1, TERM_LOW)) &&
             value_is_quantity_at(p, i + 2));

        if (is_said && token_kind(p, i, TOKEN_UNKNOWN) &&
            (lexicon_lists(p->lexicon, "word.scoring", p->token[i].text) ||
             lexicon_lists(p->lexicon, "word.spends", p->token[i].text)))
            token_drop(p, i, i);
    }
}

void
parse_ranked_rows(struct parser *p)
{
    drop_scored(p);
    name_more(p);
    name_first_rows(p);
    name_thing_ranked(p);
    name_ranked_rows(p);
}

/* "who ran the most experiments", "which ward orders the most tests": a verb that says
 * no more than whose rows they are. */
void
parse_ranked_verbs(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++) {
        const struct item *most = p->token[i + 1].item;
        const bool asks = i == 0 ? p->wants_who
                                 : token_part(p, i - 1) != PART_NONE ||
                                       (token_kind(p, i - 1, TOKEN_VALUE) &&
                                        !value_is_quantity_at(p, i - 1));

        const bool is_date = /* "who closes the most tickets" */
            i == 0 && token_kind(p, i, TOKEN_VALUE) &&
            value_is_date(p, p->token[i].value);
        if (!asks ||
            !(token_kind(p, i, TOKEN_UNKNOWN) || is_date ||
              (i > 0 && token_is(p, i, TERM_ROWS))) ||
            !(token_is(p, i + 1, TERM_HIGH) || token_is(p, i + 1, TERM_LOW)) ||
            !token_kind(p, i + 2, TOKEN_ROWS) || !p->token[i + 2].is_plural ||
            !lexicon_lists(p->lexicon, "word.mosts",
                           p->reading->words.at[most->begin + most->len - 1].text))
            continue;
        parser_note(p, "assume.event", token_text(p, i), NULL);
        if (is_date && token_column(p, i)->nulls)
            parser_add_test(p, p->token[i].value, OP_NOT_NULL);
        token_drop(p, i, i);
        return;
    }
}
