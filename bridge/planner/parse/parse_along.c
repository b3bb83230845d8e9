/* along time: cumulative, changes, rolling, against the year before. */
#include "bridge/planner/calendar/parse_this.h"
#include "bridge/planner/tokens/parser.h"

static void
set_along(struct parser *p, enum query_along along)
{
    if (p->query->along && p->query->along != along &&
        !(p->query->along == ALONG_PERCENT || along == ALONG_PERCENT))
        parser_refuse(p, "refuse.along", "");
    if (p->query->along != ALONG_PERCENT || along == ALONG_YEAR_BEFORE)
        p->query->along = along;
    p->wants_time = true;
}

/* The grain that a word says, also that of a column called "month". */
static enum query_part
grain_at(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    if (token_kind(p, at, TOKEN_TERM))
        return parser_part(p->token[at].term);
    if (!column || column->kind != COLUMN_DATE || p->token[at].item->len != 1)
        return PART_NONE;
    return parser_part(
        lexicon_exact(p->lexicon, &p->reading->words, p->token[at].item->begin, 1));
}

static void
take_grain(struct parser *p, int at)
{
    if (!token_kind(p, at, TOKEN_TERM)) {
        p->token[at].term =
            lexicon_exact(p->lexicon, &p->reading->words, p->token[at].item->begin, 1);
        p->token[at].kind = TOKEN_TERM;
    }
    p->token[at].is_used = false; /* the grain of the groups, too */
    p->wants_time = true;
}

/* "rolling total", "rolling 12 month sum"; not "rolling average of total sales" */
static bool
adds_up(const struct parser *p, int at)
{
    if (p->token[at].item->len > 1)
        return false;
    for (int i = at + 1; i <= at + 3; i++) {
        if (token_is(p, i, TERM_SUM))
            return true;
        if (!token_kind(p, i, TOKEN_NUMBER) && !grain_at(p, i))
            return false;
    }
    return false;
}

/* "3 month rolling average", "rolling 7 day mean", "moving average over 3 months" */
static void
take_rolling(struct parser *p, int at)
{
    const bool is_sum = adds_up(p, at);
    int first = at, last = at;

    if (token_is(p, at + 1, TERM_MEAN))
        last = at + 1;
    p->query->window = 0;
    for (int i = at - 4 < 0 ? 0 : at - 4; i < at + 6 && i < p->count; i++) {
        if (!token_kind(p, i, TOKEN_NUMBER) || p->token[i].is_used ||
            p->token[i].number < 2 || p->token[i].number > 366)
            continue;
        p->query->window = token_whole(p, i);
        token_use(p, i, i);
        for (int k = i + 1; k <= i + 2; k++) {
            const enum query_part part = grain_at(p, k);

            if (part >= PART_YEAR && part <= PART_DAY)
                take_grain(p, k);
        }
        if (token_is(p, i - 1, TERM_OVER) || token_is(p, i - 1, TERM_OF))
            token_use(p, i - 1, i - 1);
        break;
    }
    token_use(p, first, last);
    if (token_is(p, last + 1, TERM_OF))
        token_use(p, last + 1, last + 1);
    if (!p->query->window) {
        p->query->window = 3;
        parser_note(p, "assume.window", "3", NULL);
    }
    set_along(p, is_sum ? ALONG_ROLLING_SUM : ALONG_ROLLING);
}

static bool
has_percent(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_SHARE) || token_is(p, i, TERM_PERCENT_UNIT))
            return true;
    return p->has_percent;
}

/* The period that "week over week" names. */
static void
find_part(struct parser *p, int at)
{
    const struct item *item = p->token[at].item;

    for (size_t i = item->begin; i < item->begin + item->len; i++) {
        enum query_part part =
            parser_part(lexicon_exact(p->lexicon, &p->reading->words, i, 1));

        if (part)
            p->along_part = part;
    }
}

static void
use_percent(struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_SHARE) || token_is(p, i, TERM_PERCENT_UNIT)) {
            token_use(p, i, i);
            if (token_is(p, i - 1, TERM_IN) || token_is(p, i - 1, TERM_AS))
                token_use(p, i - 1, i - 1);
        }
}

/* "change in revenue", further on "against the month before", "vs previous month". */
static void
take_period_before(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++) {
        if (!token_is(p, i, TERM_VERSUS) && !token_is(p, i, TERM_TO) &&
            !token_is(p, i, TERM_FROM) && !token_is(p, i, TERM_OVER) &&
            !token_is(p, i, TERM_COMPARE))
            continue;
        const bool is_previous =
            token_kind(p, i + 1, TOKEN_UNKNOWN) &&
            lexicon_lists(p->lexicon, "word.previous", p->token[i + 1].text);
        const int at = i + 1 + is_previous;
        const bool is_before = !is_previous && token_is(p, at + 1, TERM_BEFORE);
        const enum query_part part = token_part(p, at);

        if (!part || !(is_previous || is_before) || !token_is_free(p, i))
            continue;
        p->along_part = part;
        token_use(p, i, at + is_before);
        if (token_is(p, i, TERM_VERSUS) || token_is(p, i, TERM_COMPARE))
            p->wants_compare = false;
    }
}

void
parse_along(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        if (!token_is_free(p, i))
            continue;
        if (token_is(p, i, TERM_CUMULATIVE)) {
            set_along(p, ALONG_CUMULATIVE);
        } else if (token_is(p, i, TERM_CHANGE)) {
            set_along(p, has_percent(p) ? ALONG_PERCENT : ALONG_CHANGE);
            use_percent(p);
        } else if (token_is(p, i, TERM_GROWTH)) {
            set_along(p, ALONG_PERCENT);
            use_percent(p);
        } else if (token_is(p, i, TERM_YEAR_BEFORE) &&
                   !parse_this_is_compared(p, i - 1)) {
            p->query->along = ALONG_YEAR_BEFORE;
            p->wants_time = true;
            use_percent(p);
        } else if (token_is(p, i, TERM_ROLLING)) {
            take_rolling(p, i);
            continue;
        } else {
            continue;
        }
        if (token_is(p, i, TERM_CHANGE) || token_is(p, i, TERM_GROWTH))
            take_period_before(p);
        find_part(p, i);
        token_use(p, i, i);
    }
}
