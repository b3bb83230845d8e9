/* derive: "age", where the year of birth is what a table has. */
#include "bridge/planner/durations/parse_durations.h"

/* The only number that is a year of birth; -1. */
static int
birth_year(const struct parser *p)
{
    int found = -1;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        if (column->kind != COLUMN_NUMBER || !(column->flags & FLAG_BIRTH) ||
            column->role != ROLE_TIME)
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

/* The year of a row less that of birth: what somebody turns in that year. */
bool
parse_ages(struct parser *p, int at)
{
    if (!token_kind(p, at, TOKEN_UNKNOWN) || !p->token[at].text[1] ||
        !lexicon_lists(p->lexicon, "word.age", p->token[at].text))
        return false;
    const int birth = birth_year(p), date = birth < 0 ? -1 : parser_roots_time(p);
    if (date < 0 || p->frame->column[date].kind != COLUMN_DATE)
        return false;
    const struct value *year =
        value_make(p, (struct value){.kind = VALUE_PART,
                                     .part = PART_YEAR,
                                     .left = value_of_column(p, date)});
    token_become(p, at, at,
                 value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                              .op = '-',
                                              .left = year,
                                              .right = value_of_column(p, birth),
                                              .name = p->token[at].text}));
    parser_note(p, "assume.age", p->frame->column[date].name,
                p->frame->column[birth].name);
    return true;
}
