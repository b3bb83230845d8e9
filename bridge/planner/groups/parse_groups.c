/* group and aggregate: which columns are keys, and which are reduced how. */
#include "bridge/planner/groups/parse_groups.h"
#include "bridge/planner/calendar/parse_happened.h"
#include "bridge/planner/durations/parse_units.h"

static enum query_aggregate
aggregate_of(enum term term)
{
    static const enum query_aggregate reduces[TERM_TOTAL] = {
        [TERM_MEAN] = REDUCE_MEAN,
        [TERM_SUM] = REDUCE_SUM,
        [TERM_HOW_MUCH] = REDUCE_SUM,
        [TERM_AMOUNT] = REDUCE_SUM,
        [TERM_MEDIAN] = REDUCE_MEDIAN,
        [TERM_MIN] = REDUCE_MIN,
        [TERM_MAX] = REDUCE_MAX,
        [TERM_DEVIATION] = REDUCE_STD,
        [TERM_COUNT] = REDUCE_COUNT,
        [TERM_HOW_MANY] = REDUCE_COUNT,
        [TERM_COUNT_DISTINCT] = REDUCE_DISTINCT,
        [TERM_DISTINCT] = REDUCE_DISTINCT,
        [TERM_RANGE_OF] = REDUCE_RANGE,
    };

    return reduces[term];
}

static bool
starts_key(enum term term)
{
    return term == TERM_BY || term == TERM_PER || term == TERM_EACH ||
           term == TERM_SERIES || term == TERM_GROUP_BY || term == TERM_FACET ||
           term == TERM_OVER;
}

/* "average mileage of cars with different engines" */
static bool
is_of_each(const struct parser *p, int at)
{
    return token_is(p, at, TERM_DIFFERENT) && token_kind(p, at + 1, TOKEN_VALUE) &&
           p->token[at + 1].is_plural && (p->query->amounts || p->has_subject);
}

/* "what share of", "which order has", "what's the highest": no column is looked for. */
static bool
is_which_of_others(const struct parser *p, int at)
{
    bool is_of_rows = token_kind(p, at + 1, TOKEN_ROWS) &&
                      !p->token[at + 1].is_plural &&
                      !token_kind(p, at + 2, TOKEN_VALUE);

    return (p->share_at >= 0 && p->share_at == at + 1) || is_of_rows ||
           token_is(p, at + 1, TERM_HIGH) || token_is(p, at + 1, TERM_LOW);
}

/* Those that return false do not apply. */

static bool
take_flag_rate(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;

    if (!token_is(p, at + 1, TERM_RATE) || !value_is_flag(p, p->token[at].value))
        return false;
    scan->reduce = REDUCE_NONE;
    parse_amounts_take(scan, at);
    token_use(p, at + 1, at + 1);
    return true;
}

/* What rows are sorted or ranked by is not a key of groups. */
static bool
is_sorted_by(const struct parse_scan *scan, const struct value *value)
{
    const struct parser *p = scan->p;

    return value_is_quantity(p, value) && scan->key_term == TERM_BY &&
           (p->query->rank.is_there ||
            (p->query->is_sorted && !p->query->sorts_by_key && p->query->amounts == 0));
}

static bool
take_key(struct parse_scan *scan, int at, bool is_near)
{
    if (!scan->is_key || (is_near && !scan->is_held && scan->reduce != REDUCE_COUNT))
        return false;
    if (is_sorted_by(scan, scan->p->token[at].value)) {
        parse_amounts_take(scan, at);
        scan->reduce = REDUCE_NONE;
    } else {
        parse_keys_take(scan, at);
    }
    return true;
}

/* "busiest destination", "most common cause": which of them has the most rows */
static bool
take_commonest(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;

    if (scan->reduce != REDUCE_COUNT || !p->query->rank.is_there ||
        p->rank_at != scan->reduce_at - 1 || p->query->keys ||
        strcmp(p->token[scan->reduce_at].text, "count") != 0 ||
        !parse_keys_fit(p, p->token[at].value))
        return false;
    parser_add_amount(p, REDUCE_COUNT, NULL);
    if (p->reading->words.at[p->token[scan->reduce_at].item->begin].superlative)
        parser_note(p, "assume.count", "", NULL); /* "most popular" */
    scan->reduce = REDUCE_NONE;
    p->wants_which = true;
    if (!p->query->rank.count && p->token[at].is_plural) {
        p->query->rank.is_there = false; /* "the most common causes": in order */
        p->query->is_sorted = p->query->sorts_down = true;
    }
    parse_keys_take(scan, at);
    scan->is_done_key = false;
    return true;
}

static void
take_reduced(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;

    if (take_commonest(scan, at))
        return;
    if (scan->reduce == REDUCE_COUNT) {
        parse_amounts_counted(scan, at);
        return;
    }
    scan->is_bound = true;
    parse_amounts_take(scan, at);
    if (!token_is(p, at + 1, TERM_AND) && !token_kind(p, at + 1, TOKEN_COMMA))
        scan->reduce = REDUCE_NONE;
    else
        scan->reduce_at = at + 1;
}

static bool
take_ranked_key(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;

    if (!scan->is_which && !token_is(p, at - 1, TERM_TOP) &&
        !token_is(p, at - 1, TERM_BOTTOM))
        return false;
    const bool fits = parse_keys_fit(p, p->token[at].value);
    if (fits)
        parse_keys_take(scan, at);
    scan->is_which = false;
    scan->is_done_key &= !fits;
    return fits;
}

/* "by weekday, traffic sites only": rows of a cell's, and no second key. */
static bool
is_cells_own(const struct parse_scan *scan, int at)
{
    const struct parser *p = scan->p;

    return scan->is_key && p->token[at].is_plural &&
           token_kind(p, at - 1, TOKEN_CELL) &&
           token_is_beside(&p->token[at - 1], &p->token[at]) &&
           token_kind(p, at - 2, TOKEN_COMMA) &&
           !value_is_quantity(p, p->token[at].value);
}

static void
take_column(struct parse_scan *scan, int at)
{
    const bool is_near =
        scan->reduce && (at - scan->reduce_at <= 3 ||
                         (scan->is_held && token_is(scan->p, at - 1, TERM_OF)));

    if (parse_happened_is_verb(scan->p, at) && parse_happened_take(scan->p, at))
        return;
    if (is_cells_own(scan, at)) {
        token_use(scan->p, at, at);
        return;
    }
    if (parse_things_take(scan, at) || take_flag_rate(scan, at) ||
        parse_keys_each(scan, at) || parse_keys_divisor(scan, at) ||
        take_key(scan, at, is_near) || parse_keys_mean_rows(scan, at))
        return;
    if (is_near)
        take_reduced(scan, at);
    else if (!take_ranked_key(scan, at))
        parse_plain_take(scan, at);
}

/* --- terms --- */

/* All that "by", "per" and "each" may have added. */
static unsigned
count_keys(const struct parser *p)
{
    const struct query *query = p->query;
    unsigned count = query->keys + query->tests + p->wants_time + query->is_sorted +
                     (query->along != ALONG_NONE) + query->having.is_there;

    for (unsigned i = 0; i < query->amounts; i++)
        count += 1 + (query->amount[i].per != NULL) + (query->amount[i].each != NULL);
    return count;
}

/* "per listing", of which nothing was taken: it is not dropped. */
static void
check_opened(struct parse_scan *scan)
{
    struct parser *p = scan->p;
    int at = scan->opened;

    scan->opened = 0;
    if (at > 0 && token_is(p, at - 1, TERM_PER) && count_keys(p) == scan->keys_before &&
        token_kind(p, at, TOKEN_TERM) && !p->query->rank.is_there)
        parser_refuse(p, "refuse.word", token_text(p, at));
}

/* "minimum and maximum price": the first of them is of that price, too. */
static void
share_value(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;

    for (int i = at + 1; i < p->count && i < at + 7; i++)
        if (token_kind(p, i, TOKEN_VALUE)) {
            parser_add_amount(p, scan->reduce, p->token[i].value);
            return;
        }
}

/* "average number of", one phrase. */
static bool
has_word(const struct parser *p, int at, enum term term)
{
    const struct item *item = p->token[at].item;

    for (size_t i = item->begin; i < item->begin + item->len; i++)
        if (lexicon_exact(p->lexicon, &p->reading->words, i, 1) == term)
            return true;
    return false;
}

static void
take_aggregate(struct parse_scan *scan, int at, enum query_aggregate reduce)
{
    struct parser *p = scan->p;
    enum term term = p->token[at].term;

    token_use(p, at, at);
    if (reduce == REDUCE_COUNT && scan->is_key && token_kind(p, at + 1, TOKEN_VALUE) &&
        value_is_quantity(p, p->token[at + 1].value))
        return; /* "by number of rooms": by what says how many */
    if (term == TERM_AMOUNT && scan->reduce && scan->reduce != REDUCE_COUNT) {
        scan->reduce_at = at; /* "median amount of" */
        scan->is_worth = true;
        return;
    }
    const bool is_of_number = /* "median number of emails" of a column */
        scan->reduce != REDUCE_NONE && scan->reduce != REDUCE_COUNT &&
        scan->reduce != REDUCE_DISTINCT && token_kind(p, at + 1, TOKEN_VALUE) &&
        value_is_quantity(p, value_wanted(p, at + 1, true)) &&
        (scan->reduce_at == at - 1 ||
         (scan->reduce_at == at - 2 && token_is(p, at - 1, TERM_OF)));
    if ((scan->reduce == REDUCE_MEAN || is_of_number) &&
        (reduce == REDUCE_COUNT || term == TERM_HOW_MUCH)) {
        scan->reduce_at = at; /* "average number of" a column */
        scan->counts = reduce == REDUCE_COUNT;
        return;
    }
    if (scan->reduce && scan->reduce != REDUCE_COUNT && reduce != REDUCE_COUNT &&
        !scan->is_bound &&
        (token_is(p, at - 1, TERM_AND) || token_kind(p, at - 1, TOKEN_COMMA)))
        share_value(scan, at);
    p->said_distinct |= term == TERM_DISTINCT && scan->reduce != REDUCE_COUNT;
    if (scan->reduce != reduce)
        parse_amounts_drop(scan);
    scan->reduce = reduce;
    scan->reduce_at = at;
    scan->counts = has_word(p, at, TERM_COUNT);
    scan->is_worth = term != TERM_AMOUNT && has_word(p, at, TERM_AMOUNT);
    scan->is_bound = false;
    scan->is_key = false;
}

static void
take_term(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    enum term term = p->token[at].term;
    enum query_aggregate reduce = aggregate_of(term);

    if (parse_keys_is_agent(p, at)) {
        token_use(p, at, at + 1);
        scan->has_rows = true;
    } else if (reduce) {
        take_aggregate(scan, at, reduce);
    } else if (starts_key(term) || is_of_each(p, at)) {
        scan->is_held = scan->reduce && token_kind(p, at - 1, TOKEN_COMMA) &&
                        at - 2 == scan->reduce_at;
        if (!scan->is_held)
            parse_amounts_drop(scan);
        check_opened(scan);
        scan->opened = at + 1;
        scan->keys_before = count_keys(p);
        scan->is_key = true;
        scan->key_term = (int)(term == TERM_DIFFERENT ? TERM_EACH : term);
        scan->is_each = scan->key_term == TERM_EACH || term == TERM_PER;
        token_use(p, at, at);
    } else if (term == TERM_DIVIDED || term == TERM_RATIO ||
               (term == TERM_TO && scan->is_ratio)) {
        scan->is_ratio |= term == TERM_RATIO;
        scan->is_key = term != TERM_RATIO;
        scan->key_term = TERM_DIVIDED;
        token_use(p, at, at);
    } else if (term == TERM_WORTH) {
        scan->is_worth = scan->is_value = true;
        token_use(p, at, at);
    } else if (term == TERM_WHICH) {
        scan->is_which = !is_which_of_others(p, at);
        token_use(p, at, at);
    } else if ((term == TERM_AND || term == TERM_VERSUS) && scan->is_done_key) {
        token_use(p, at, at);
    } else if (term == TERM_AND || term == TERM_WITH) {
        scan->is_key = scan->is_key && term == TERM_AND && scan->is_done_key;
    } else if (term == TERM_OF || term == TERM_FOR || term == TERM_IN ||
               term == TERM_FROM) {
        scan->is_key = false;
    }
}

/* "in each office, how many days from …": no second key. */
static bool
is_span_at(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_VALUE) && p->token[at].value->kind == VALUE_DURATION;
}

static void
scan_token(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;

    if (parse_ratios_count(scan, at) || parse_ratios_of_unit(scan, at) ||
        parse_keys_grain(scan, at) || parse_quantiles_take(scan, at))
        return;
    enum token_kind kind = p->token[at].kind;
    if (kind == TOKEN_TERM)
        take_term(scan, at);
    else if (kind == TOKEN_VALUE)
        take_column(scan, at);
    else if (kind == TOKEN_ROWS)
        parse_nouns_take(scan, at);
    else if (kind == TOKEN_COMMA && (!scan->is_done_key || is_span_at(p, at + 1)))
        scan->is_key = false;
}

/* "by", with nothing behind it; a ratio of one number. */
static void
check_ends(const struct parse_scan *scan)
{
    struct parser *p = scan->p;
    bool has_per = p->query->having.is_there;

    if (p->count > 1 && token_kind(p, p->count - 1, TOKEN_TERM) &&
        starts_key(p->token[p->count - 1].term) &&
        !token_is(p, p->count - 1, TERM_FACET) &&
        !token_is(p, p->count - 1, TERM_OVER) && !token_is(p, p->count - 1, TERM_EACH))
        parser_refuse(p, "refuse.word", token_text(p, p->count - 1));
    for (unsigned i = 0; i < p->query->amounts; i++)
        has_per |= p->query->amount[i].per != NULL ||
                   (p->query->amount[i].of &&
                    p->query->amount[i].of->kind == VALUE_ARITHMETIC);
    for (int i = 0; scan->is_ratio && !has_per && i < p->count; i++)
        if (token_is(p, i, TERM_RATIO))
            parser_refuse(p, "refuse.word", token_text(p, i));
}

/* "for each shop, the barista that sold the most drinks": the number, and no third key.
 */
static void
end_keys(struct parse_scan *scan, int at)
{
    const struct parser *p = scan->p;

    if (token_kind(p, at + 1, TOKEN_VALUE) &&
        value_is_quantity(p, p->token[at + 1].value))
        scan->is_key = scan->is_done_key = false;
}

void
parse_groups(struct parser *p)
{
    struct parse_scan scan = {.p = p};

    for (int i = 0; i < p->count; i++) {
        bool had_key = scan.is_done_key;

        if (!token_is_free(p, i)) {
            scan.is_key &= !token_is(p, i, TERM_SHARE) && !token_is(p, i, TERM_FOR) &&
                           !token_is(p, i, TERM_IN) && !token_is(p, i, TERM_WHOSE);
            if (token_is(p, i, TERM_HIGH) || token_is(p, i, TERM_LOW))
                end_keys(&scan, i);
            continue;
        }
        scan_token(&scan, i);
        if (had_key && scan.is_done_key && !token_is(p, i, TERM_AND) &&
            !token_kind(p, i, TOKEN_COMMA) && !token_kind(p, i, TOKEN_VALUE))
            scan.is_done_key = false;
    }
    parse_amounts_drop(&scan);
    parse_amounts_mean_rows(&scan);
    check_opened(&scan);
    check_ends(&scan);
    p->has_subject = p->query->amounts || scan.has_rows || p->wants_which;
    bool says_more = false;
    for (unsigned i = 0; i < p->query->amounts; i++)
        says_more |= !p->query->amount[i].is_implied;
    for (unsigned i = 0; i < p->query->keys; i++)
        says_more |= p->key_is_given[i];
    p->sorts_rows |= p->query->is_sorted && !says_more &&
                     (scan.has_rows || token_is(p, 0, TERM_SORT));
    if (scan.has_rows && !p->query->amounts && p->query->keys && !p->query->rank.by)
        parse_nouns_count(&scan);
    else if (scan.has_rows && !p->query->amounts && !p->query->rank.is_there)
        p->query->shape = SHAPE_ROWS;
    for (unsigned i = 0; i < p->query->amounts; i++)
        if (p->query->amount[i].is_implied && p->query->amount[i].of &&
            p->query->amount[i].reduce != REDUCE_RATE)
            parse_amounts_note(p, &p->query->amount[i]);
}
