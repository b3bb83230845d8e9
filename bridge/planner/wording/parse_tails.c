/* Nouns that add nothing to what stands before them: "the visit volume", "the surgery
 * category". */
#include "bridge/planner/tokens/parser.h"

static bool
is_listed(const struct parser *p, int at, const char *name)
{
    return at < p->count && p->token[at].item->len == 1 &&
           lexicon_lists(p->lexicon, name, p->token[at].text);
}

/* "visit volume", "monthly visit totals": their number. */
static bool
is_number_of_rows(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_ROWS) && !p->token[at].is_plural &&
           is_listed(p, at + 1, "word.heaps") &&
           (token_kind(p, at + 1, TOKEN_UNKNOWN) || token_is(p, at + 1, TERM_SUM)) &&
           !token_kind(p, at + 2, TOKEN_VALUE);
}

/* "the surgery group": no other column has that name. */
static bool
is_kind_of_cell(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at + 1);

    return token_kind(p, at, TOKEN_CELL) && is_listed(p, at + 1, "word.boxes") &&
           !token_is(p, at + 1, TERM_BY) &&
           (!column || p->token[at + 1].score < 0.95f) &&
           !token_kind(p, at + 2, TOKEN_NUMBER);
}

/* "visits of type surgery" */
static void
drop_kind_before(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++) {
        const struct column *column = token_column(p, i + 1);

        if (token_is(p, i, TERM_OF) && token_kind(p, i + 2, TOKEN_CELL) &&
            is_listed(p, i + 1, "word.boxes") &&
            (!column || p->token[i + 1].score < 0.95f))
            token_drop(p, i, i + 1);
    }
}

/* "permit holders versus transients": the rows of the first, and no third thing. */
static void
drop_rows_of_side(struct parser *p)
{
    for (int i = 0; i + 3 < p->count; i++)
        if (token_kind(p, i, TOKEN_CELL) && token_kind(p, i + 1, TOKEN_ROWS) &&
            token_is(p, i + 2, TERM_VERSUS) && token_kind(p, i + 3, TOKEN_CELL))
            token_drop(p, i + 1, i + 1);
}

/* The token of "days" behind "percentage of"; -1. */
static int
days_of_share(const struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        const int at = i + 1 + token_is(p, i + 1, TERM_OF);

        if (token_is(p, i, TERM_SHARE) && token_part(p, at) == PART_DAY &&
            p->token[at].is_plural && p->token[at].item->len == 1)
            return at;
    }
    return -1;
}

/* "on what percentage of days", where rows are days: no time of the day is known of
 * them. */
static void
name_days_of_share(struct parser *p)
{
    const int at = days_of_share(p);
    const unsigned notes = p->notes;
    const int date = at < 0 ? -1 : parser_roots_time(p);

    p->notes = notes; /* which date it is does not matter */
    if (date < 0 || !p->frame->column[date].has_no_clock)
        return;
    p->token[at].kind = TOKEN_ROWS;
    p->token[at].term = TERM_NONE;
}

/* "generics compared with brand drugs", "listed vs private companies": what both of
 * them are, and no groups of it. */
static void
drop_compared_noun(struct parser *p)
{
    for (int i = 2; i + 1 < p->count; i++) {
        const struct column *column = token_column(p, i + 1);
        const int versus = i - 1 - token_is(p, i - 1, TERM_NOT); /* "unlisted" */
        const bool is_flag = token_kind(p, versus - 1, TOKEN_VALUE) &&
                             value_is_flag(p, p->token[versus - 1].value);
        const bool is_side =
            token_kind(p, i, TOKEN_CELL) ||
            (is_flag && (token_kind(p, i, TOKEN_VALUE) || /* or its opposite */
                         token_kind(p, i, TOKEN_UNKNOWN)));

        if (is_side && token_is(p, versus, TERM_VERSUS) && column &&
            column->kind == COLUMN_TEXT &&
            (column->is_unique || column->flags & (FLAG_KEY | FLAG_LABEL)) &&
            p->token[i + 1].is_plural &&
            token_is_beside(&p->token[i], &p->token[i + 1]))
            token_drop(p, i + 1, i + 1);
    }
}

/* "the sample matrices" of a `sample_no` and a `matrix`: these, and not those by
 * sample.
 */
static void
drop_owner(struct parser *p)
{
    static const enum term opens[] = {TERM_BY,  TERM_PER, TERM_EACH,
                                      TERM_AND, TERM_OR,  TERM_WHICH};

    for (int i = 1; i + 1 < p->count; i++) {
        const struct column *owner = token_column(p, i),
                            *owned = token_column(p, i + 1);
        bool opens_key = token_kind(p, i - 1, TOKEN_COMMA);

        for (size_t k = 0; k < COUNT_OF(opens); k++)
            opens_key |= token_is(p, i - 1, opens[k]);
        if (!owner || !owned || opens_key || p->token[i].is_plural ||
            !p->token[i + 1].is_plural || p->token[i].item->len != 1 ||
            !(owner->last_flags & FLAG_KEY) || owned->role != ROLE_NOMINAL ||
            owned->last_flags & (FLAG_KEY | FLAG_LABEL) ||
            !token_is_beside(&p->token[i], &p->token[i + 1]))
            continue;
        parser_note(p, "assume.event", token_text(p, i), NULL);
        token_drop(p, i, i);
    }
}

/* "items per order" of a row an order, and a quantity: so many of them. */
static void
name_goods(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++) {
        const bool is_thing = token_kind(p, i, TOKEN_ROWS) ||
                              (token_column(p, i) && !value_is_quantity_at(p, i));

        if (!is_thing || !token_kind(p, i + 2, TOKEN_ROWS) ||
            !(token_is(p, i + 1, TERM_PER) || token_is(p, i + 1, TERM_EACH)) ||
            !is_listed(p, i, "word.goods"))
            continue;
        const int key = parse_rows_key(p, i + 2);
        if (key >= 0 && !p->frame->column[key].is_unique)
            continue; /* "of each invoice", of which several rows tell */
        const int column = parser_roots_quantity(p);
        if (column < 0) {
            parser_refuse(p, "refuse.word", token_text(p, i));
            return;
        }
        parser_note(p, "assume.column", token_text(p, i),
                    p->frame->column[column].name);
        token_become_other(p, i, i, value_of_column(p, column));
    }
}

void
parse_tails(struct parser *p)
{
    name_goods(p);
    drop_owner(p);
    drop_compared_noun(p);
    name_days_of_share(p);
    drop_kind_before(p);
    drop_rows_of_side(p);
    for (int i = 0; i + 1 < p->count; i++) {
        if (!token_is_beside(&p->token[i], &p->token[i + 1]))
            continue;
        const bool is_cost = /* "total salary cost": the money says it itself */
            token_column(p, i) && value_is_quantity_at(p, i) &&
            token_kind(p, i + 1, TOKEN_UNKNOWN) &&
            is_listed(p, i + 1, "word.outlays") &&
            (column_is_in_currency(token_column(p, i), p->lexicon) ||
             column_is_called(token_column(p, i), p->lexicon, "word.outgoings"));

        if (is_kind_of_cell(p, i) || is_cost) {
            token_drop(p, i + 1, i + 1);
        } else if (is_number_of_rows(p, i)) {
            token_drop(p, i + 1, i + 1);
            p->token[i].is_plural = true;
        }
    }
}
