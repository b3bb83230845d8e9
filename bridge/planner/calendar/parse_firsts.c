/* calendar: "new customers per month": each in the period of its first row. */
#include "bridge/planner/calendar/parse_firsts.h"

/* Of what "new customers" are: the column that is named, or tells such rows apart. */
static const struct value *
whose_at(struct parser *p, int at)
{
    const int key = token_kind(p, at, TOKEN_ROWS) ? parse_rows_key(p, at) : -1;

    if (token_column(p, at))
        return p->token[at].value;
    return key < 0 ? NULL : value_of_column(p, key);
}

/* "new", before what several rows may have in common. */
static const struct value *
new_at(struct parser *p, int at)
{
    if (!token_kind(p, at, TOKEN_UNKNOWN) || !token_is_free(p, at) ||
        !lexicon_lists(p->lexicon, "word.new", p->token[at].text) ||
        !p->token[at + 1].is_plural)
        return NULL;
    const struct value *whose = whose_at(p, at + 1);
    const struct column *column = value_column(p, whose);

    return column && !column->is_unique && !value_is_quantity(p, whose) &&
                   !value_is_date(p, whose) && !value_is_flag(p, whose) &&
                   (column->flags & (FLAG_KEY | FLAG_PERSON) ||
                    column_counts_things(column) || token_kind(p, at + 1, TOKEN_ROWS))
               ? whose
               : NULL;
}

static bool
has_time(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_part(p, i) || token_is(p, i, TERM_TIME) ||
            token_kind(p, i, TOKEN_DATE) ||
            (token_kind(p, i, TOKEN_TERM) && p->token[i].term >= TERM_JANUARY &&
             p->token[i].term <= TERM_DECEMBER))
            return true;
    return false;
}

/* Those of whom a row has the first date. */
static void
leave_firsts(struct parser *p, int at, int date, const struct value *whose)
{
    const struct value *time = value_of_column(p, date);

    p->at = at; /* where the test stands */
    parser_add_test(p, time, OP_EQ)->than = value_make(
        p,
        (struct value){
            .kind = VALUE_LEVEL, .count = LEVEL_FIRST, .left = time, .right = whose});
    p->at = 0;
    parser_note(p, "assume.newcomers", query_value_name(p->arena, p->frame, whose),
                p->frame->column[date].name);
    token_set_aside(p, at);
}

void
parse_firsts(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        const struct value *whose = new_at(p, i);

        if (!whose || !has_time(p))
            continue;
        const int date = parser_roots_time(p);
        if (date >= 0 && p->frame->column[date].kind == COLUMN_DATE)
            leave_firsts(p, i, date, whose);
        return;
    }
}
