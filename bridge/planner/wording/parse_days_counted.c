/* Days that are counted: "days with PM10 over 50 per station", "how many daily values".
 */
#include "bridge/planner/tokens/parser.h"

/* Behind "days": "per station", "in each city". */
static bool
has_key_behind(const struct parser *p, int at)
{
    for (int i = at + 1; i + 1 < p->count; i++)
        if (token_is(p, i, TERM_PER) || token_is(p, i, TERM_BY) ||
            token_is(p, i, TERM_EACH))
            return true;
    return false;
}

/* "days with PM10 over 50 per station", "rainy days by city": how many. */
static void
name_days_with(struct parser *p)
{
    const int at = token_kind(p, 0, TOKEN_CELL) ? 1 : 0;
    const bool is_told = at == 1 || token_is(p, at + 1, TERM_WITH) ||
                         token_is(p, at + 1, TERM_WHEN) ||
                         token_is(p, at + 1, TERM_WHOSE);

    if (p->count < 3 || !is_told || token_part(p, at) != PART_DAY ||
        !p->token[at].is_plural || p->token[at].item->len != 1 ||
        !has_key_behind(p, at))
        return;
    token_put_term(p, 0, TERM_HOW_MANY);
}

/* "how many daily values are above 25", where each row is a day's. */
static void
drop_daily(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++) {
        if (!token_is(p, i, TERM_HOW_MANY) || token_part(p, i + 1) != PART_DAY ||
            p->token[i + 1].is_plural || !token_kind(p, i + 2, TOKEN_VALUE))
            continue;
        const unsigned notes = p->notes;
        const int date = parser_roots_time(p);
        p->notes = notes;
        if (date >= 0 && p->frame->column[date].has_no_clock)
            token_drop(p, i + 1, i + 1);
    }
}

void
parse_days_counted(struct parser *p)
{
    name_days_with(p);
    drop_daily(p);
}
