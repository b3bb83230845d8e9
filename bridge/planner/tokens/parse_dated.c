/* "submission year" of a date `submitted_on`: nouns for what a date tells of. */
#include "bridge/planner/tokens/parser.h"

void
parse_dated(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        const bool is_beside = token_part(p, i + 1) ||
                               (token_is(p, i - 1, TERM_OF) && token_part(p, i - 2));
        const int date = is_beside && token_kind(p, i, TOKEN_UNKNOWN)
                             ? parser_roots_date(p, p->token[i].text)
                             : PARSER_ROOTS_NONE;

        if (date < 0)
            continue;
        parser_note(p, "assume.column", token_text(p, i), p->frame->column[date].name);
        token_become(p, i, i, value_of_column(p, date));
    }
}
