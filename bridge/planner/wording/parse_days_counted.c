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

/* "how many days on average from application to decision": the mean comes last. */
static void
put_mean_last(struct parser *p)
{
    if (!token_is(p, 0, TERM_HOW_MANY) || !token_part(p, 1) || !p->token[1].is_plural)
        return;
    for (int i = 2; i + 1 < p->count; i++) {
        if (!token_is(p, i, TERM_MEAN) || !token_is(p, i + 1, TERM_FROM))
            continue;
        for (int k = i + 1; k < p->count; k++)
            token_bring_forward(p, k, k - 1);
        return;
    }
}

static int
count_dates(const struct parser *p)
{
    int dates = 0;

    for (int i = 0; i < p->frame->columns; i++)
        dates += p->frame->column[i].kind == COLUMN_DATE;
    return dates;
}

/* "waited more than 60 days for a decision", where two dates say how long. */
static void
drop_awaited(struct parser *p)
{
    const int last = p->count - 1;

    if (last > 3 && token_column(p, last) && value_is_date(p, p->token[last].value) &&
        token_is(p, last - 1, TERM_FOR) && token_part(p, last - 2) &&
        token_kind(p, last - 3, TOKEN_NUMBER) && count_dates(p) == 2)
        token_drop(p, last - 1, last);
}

void
parse_days_counted(struct parser *p)
{
    put_mean_last(p);
    drop_awaited(p);
    name_days_with(p);
    drop_daily(p);
}
