/* calendar: "new customers per month": each in the period of its first row. */
#include "bridge/planner/calendar/parse_firsts.h"

/* "new", "first-time", before what several rows may have in common. */
static bool
is_new_at(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at + 1);

    return token_kind(p, at, TOKEN_UNKNOWN) && token_is_free(p, at) &&
           lexicon_lists(p->lexicon, "word.new", p->token[at].text) && column &&
           !column->is_unique && p->token[at + 1].is_plural &&
           !value_is_quantity_at(p, at + 1) &&
           !value_is_date(p, p->token[at + 1].value) &&
           !value_is_flag(p, p->token[at + 1].value) &&
           (column->flags & (FLAG_KEY | FLAG_PERSON) || column_counts_things(column));
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

/* Those at `at` + 1 of whom a row has the first date. */
static void
leave_firsts(struct parser *p, int at, int date)
{
    const struct value *time = value_of_column(p, date),
                       *whose = p->token[at + 1].value;

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
    for (int i = 0; i + 1 < p->count; i++)
        if (is_new_at(p, i) && has_time(p)) {
            const int date = parser_roots_time(p);

            if (date >= 0 && p->frame->column[date].kind == COLUMN_DATE)
                leave_firsts(p, i, date);
            return;
        }
}
