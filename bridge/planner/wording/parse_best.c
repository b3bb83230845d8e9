/* "Best" and "worst": which of them is the most depends on what is ranked. */
#include "bridge/planner/tokens/parser.h"

/* The number that rows or groups are ranked by; NULL: their count. */
static const struct column *
ranked_column(const struct parser *p)
{
    const struct query *query = p->query;

    if (query->rank.by)
        return value_column(p, query->rank.by);
    if (!query->amounts)
        return NULL;
    const struct amount *amount = &query->amount[0];
    return value_column(p, amount->of || !amount->test ? amount->of : amount->test->of);
}

/* Where "best" or "worst" stands, which may have "first" behind it; -1. */
static int
judged_at(const struct parser *p)
{
    const int last = p->rank_at < p->count ? p->rank_at : -1;

    for (int at = last; at >= 0 && at >= last - 1; at--) {
        const struct word *word = &p->reading->words.at[p->token[at].item->begin];

        if (!word->superlative && lexicon_flags(p->lexicon, word->stem) & FLAG_JUDGING)
            return at;
        if (!token_is(p, at, TERM_TOP))
            break;
    }
    return -1;
}

static bool
is_rate(const struct query *query)
{
    return query->amounts &&
           (query->amount[0].reduce == REDUCE_RATE ||
            (query->amount[0].reduce == REDUCE_COUNT && query->tests));
}

/* "error rate", "share of failures": the rate itself is of what is bad. */
static bool
says_bad(const struct parser *p)
{
    for (size_t i = 0; i < p->reading->words.count; i++)
        if (lexicon_flags(p->lexicon, p->reading->words.at[i].stem) & FLAG_BAD &&
            !(lexicon_flags(p->lexicon, p->reading->words.at[i].stem) & FLAG_JUDGING))
            return true;
    return false;
}

void
parse_rank_judge(struct parser *p)
{
    const struct column *column = ranked_column(p);

    if (judged_at(p) < 0 ||
        !((column && column->flags & FLAG_BAD) || (is_rate(p->query) && says_bad(p))))
        return;
    if (p->query->rank.is_there)
        p->query->rank.is_low = !p->query->rank.is_low; /* "the worst delay" */
    else if (p->query->is_sorted && !p->query->sorts_by_key)
        p->query->sorts_down = p->query->rank.is_low; /* "refund rate, worst first" */
}

static bool
is_for_least(const struct query *query)
{
    return query->rank.is_there || !query->is_sorted ? query->rank.is_low
                                                     : !query->sorts_down;
}

void
parse_rank_note(struct parser *p)
{
    const struct column *column = ranked_column(p);

    if (judged_at(p) < 0 || !column || p->refusal)
        return;
    const char *args[] = {column->name};
    parser_note(p, "assume.root", token_text(p, judged_at(p)),
                lexicon_say(p->lexicon, p->arena,
                            is_for_least(p->query) ? "amount.min" : "amount.max", args,
                            COUNT_OF(args)));
}
