/* group: columns and parts of dates as keys. */
#include "bridge/planner/groups/parse_groups.h"

enum {
    SIZES_MOST = 12, /* more are numbers, to be put into bands */
};

static const struct value *
part_of_date(struct parser *p, int date, enum query_part part)
{
    return value_of_part(p, value_of_column(p, date), part);
}

bool
parse_keys_fit(const struct parser *p, const struct value *value)
{
    const struct column *column = value_column(p, value);

    return !value_is_quantity(p, value) || (column && column->role == ROLE_DISCRETE);
}

/* "busiest month", "month with the lowest cost": the one that is looked for. */
static bool
is_looked_for(const struct parser *p, int at)
{
    bool is_bare = p->token[at].item->len == 1 && p->query->rank.is_there;
    int before = at - 1;

    while (token_is(p, before, TERM_COUNT)) /* "the most common" */
        before--;
    if (value_is_quantity_at(p, before) && token_is_extreme(p, before - 1)) {
        before--; /* "the 3 worst PM10 days", "top 5 wettest days" */
        while (before > p->rank_at &&
               (token_kind(p, before, TOKEN_NUMBER) || token_is_extreme(p, before)))
            before--;
    }
    return is_bare && ((at == 0 && token_is(p, 1, TERM_WITH)) ||
                       (before >= 0 && before == p->rank_at));
}

/* A column `month` beside `year`. */
static bool
take_named_grain(struct parse_scan *scan, int at, int date)
{
    struct parser *p = scan->p;
    int called = parser_roots_grain(p, parser_part(p->token[at].term));

    if (p->frame->column[date].kind == COLUMN_DATE || called < 0 ||
        scan->reduce == REDUCE_MEAN)
        return false;
    token_use(p, at, at);
    if (parser_add_key(p, value_of_column(p, called)))
        p->key_is_given[p->query->keys - 1] |= !scan->is_which;
    scan->is_which = false;
    scan->is_done_key = true;
    return true;
}

/* "median revenue of a day": of the days, and not in each. */
static bool
is_of_one(const struct parse_scan *scan, int at)
{
    const struct parser *p = scan->p;
    const struct amount *last =
        p->query->amounts ? &p->query->amount[p->query->amounts - 1] : NULL;

    return token_is(p, at - 1, TERM_OF) && !p->token[at].is_plural && !scan->is_key &&
           last && last->of && !last->is_implied && !last->each &&
           (last->reduce == REDUCE_MEAN || last->reduce == REDUCE_MEDIAN);
}

/* "visitors per day on weekends and on weekdays": what the days of each kind have. */
static bool
is_of_day_kinds(const struct parse_scan *scan, enum query_part part)
{
    const struct query *query = scan->p->query;
    const struct amount *last =
        query->amounts ? &query->amount[query->amounts - 1] : NULL;

    return part == PART_DAY && query->keys == 1 && query->is_compared &&
           query->key[0]->kind == VALUE_PART && query->key[0]->part == PART_WEEKEND &&
           last && last->of && last->is_implied && last->reduce == REDUCE_SUM &&
           !last->each;
}

/* "250 g" and "1 kg" of bags: a few sizes, which are names rather than numbers. */
static bool
is_size(const struct parser *p, const struct value *value)
{
    const struct column *column = value_column(p, value);

    return column && column->is_measured && column->unique > 0 &&
           column->unique <= SIZES_MOST;
}

/* "how many days had a total above 10", "number of rainy days" */
static bool
counts_periods(const struct parse_scan *scan, int at)
{
    const struct parser *p = scan->p;
    int before = at - 1;

    while (token_kind(p, before, TOKEN_CELL) || token_is(p, before, TERM_OF) ||
           token_kind(p, before, TOKEN_COMMA))
        before--;
    return p->token[at].is_plural && p->token[at].item->len == 1 &&
           before == scan->reduce_at &&
           (token_is(p, before, TERM_HOW_MANY) || token_is(p, before, TERM_COUNT));
}

/* "average monthly revenue", "requests per hour": what an amount is of, and no groups.
 */
static bool
take_each(struct parse_scan *scan, int at, int date)
{
    struct parser *p = scan->p;
    const enum query_part part = parser_part(p->token[at].term);

    if ((scan->reduce == REDUCE_MEAN || scan->reduce == REDUCE_MEDIAN) &&
        !scan->is_key && at == scan->reduce_at + 1) {
        scan->each = part_of_date(p, date, part);
        scan->reduce_at = at;
        return true; /* "average monthly revenue": the mean of months */
    }
    if (is_of_day_kinds(scan, part)) {
        struct amount *last = &p->query->amount[p->query->amounts - 1];

        last->reduce = REDUCE_MEAN;
        last->is_implied = false;
        last->each = part_of_date(p, date, part);
        return true;
    }
    if (is_of_one(scan, at)) {
        p->query->amount[p->query->amounts - 1].each = part_of_date(p, date, part);
        return true;
    }
    if (scan->reduce == REDUCE_COUNT &&
        (counts_periods(scan, at) ||
         (p->query->having.is_there && at == scan->reduce_at + 1))) {
        parser_add_amount(p, REDUCE_DISTINCT, part_of_date(p, date, part));
        if (p->frame->column[date].unique < p->frame->rows)
            parser_note(p, "assume.distinct", query_part_name(part), NULL);
        scan->reduce = REDUCE_NONE;
        return true;
    }
    if (scan->mean_rows && !p->query->keys) { /* "requests per hour" */
        p->query->amount[p->query->amounts - 1].each = part_of_date(p, date, part);
        scan->mean_rows = false;
        return true;
    }
    return false;
}

/* "by month", "monthly", "hour of the day": a part of the date. */
bool
parse_keys_grain(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    enum query_part part = parser_part(p->token[at].term);

    if (!token_kind(p, at, TOKEN_TERM) || !part || !token_is_free(p, at))
        return false;
    const bool is_of_date = /* "the month they were received" */
        (token_is(p, at + 1, TERM_OF) || token_is(p, at + 1, TERM_IS)) &&
        token_column(p, at + 2) && token_column(p, at + 2)->kind == COLUMN_DATE;
    int date = is_of_date ? p->token[at + 2].value->column : parser_roots_time(p);
    if (date < 0) {
        parser_refuse(p, "refuse.nodates", token_text(p, at));
        return true;
    }
    if (take_named_grain(scan, at, date))
        return true;
    if (p->frame->column[date].kind != COLUMN_DATE && part != PART_YEAR) {
        parser_refuse(p, "refuse.grain", p->frame->column[date].name);
        return true;
    }
    token_use(p, at, at);
    if (part == PART_SEASON)
        parser_note(p, "assume.seasons", "", NULL);
    if (is_of_date)
        token_use(p, at + 1, at + 2);
    /* "order date month" */
    if (token_column(p, at - 1) && token_column(p, at - 1)->kind == COLUMN_DATE)
        token_use(p, at - 1, at - 1);
    if (take_each(scan, at, date))
        return true;
    /* "average age in years": a unit, not groups. */
    if (token_is(p, at - 1, TERM_IN) && p->token[at].is_plural && !scan->is_key) {
        parser_refuse(p, "refuse.word", token_text(p, at));
        return true;
    }
    if (parser_add_key(p, part_of_date(p, date, part)))
        p->key_is_given[p->query->keys - 1] |= !scan->is_which && !is_looked_for(p, at);
    scan->is_which = false;
    scan->is_done_key = true;
    return true;
}

void
parse_keys_take(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct value *value = value_wanted(p, at, false);

    p->token[at].value = value;
    token_use(p, at, at);
    if (value_column(p, value) && value_column(p, value)->is_clock) {
        parser_add_key(p, value);
        scan->is_done_key = true;
        return;
    }
    if (scan->is_which && p->query->rank.is_there && value_is_date(p, value)) {
        /* "which date had the most crashes" */
        parser_add_key(p, part_of_date(p, value->column, PART_DAY));
        return;
    }
    if (value_is_date(p, value)) {
        for (int i = at + 1; i <= at + 2; i++)
            if (token_kind(p, i, TOKEN_TERM) && parser_part(p->token[i].term))
                return; /* the part follows */
        p->wants_time = true;
        scan->is_done_key = true;
        return;
    }
    if (value_is_quantity(p, value) && p->wants_compare && p->query->keys &&
        p->query->tests && !p->has_explicit_chart) { /* "A and B by fuel per km" */
        parse_amounts_take(scan, at);
        return;
    }
    if (value_is_quantity(p, value) && !value_is_flag(p, value) && !is_size(p, value)) {
        const struct column *column = value_column(p, value);
        if (column && column->role != ROLE_DISCRETE && !p->query->is_sorted &&
            !p->query->rank.is_there)
            p->is_legacy = true; /* a scatter plot */
        if (!column || column->role != ROLE_DISCRETE) {
            value = value_make(p, (struct value){.kind = VALUE_BAND,
                                                 .left = value,
                                                 .count = column ? 10 : 10});
            parser_note(p, "assume.bins",
                        query_value_name(p->arena, p->frame, value->left), NULL);
        }
    }
    if (parser_add_key(p, value))
        p->key_is_given[p->query->keys - 1] |= scan->is_key;
    scan->is_done_key = true;
}

/* "revenue per order": of a row; "per customer": of each of them. */
void
parse_keys_per_rows(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    struct amount *last = &p->query->amount[p->query->amounts - 1];
    int key = parse_rows_key(p, at);

    scan->is_key = false;
    bool groups = false;
    for (int i = 0; i < p->count; i++)
        groups |= token_is(p, i, TERM_BY) || token_is(p, i, TERM_EACH);
    if (key >= 0 && groups && last->is_implied && last->of) {
        struct amount *per = arena_alloc(p->arena, 1, sizeof(*per));

        *per =
            (struct amount){.reduce = REDUCE_DISTINCT, .of = value_of_column(p, key)};
        last->reduce = REDUCE_SUM;
        last->per = per;
        last->is_implied = false;
        return;
    }
    if (key >= 0 && !p->frame->column[key].is_unique) {
        if (scan->mean_rows || last->reduce == REDUCE_MEAN) {
            last->each = value_of_column(p, key);
            return;
        }
        parser_add_key(p, value_of_column(p, key));
        return;
    }
    const bool is_mean = last->of && last->reduce == REDUCE_MEAN && !last->is_implied;
    if (!p->token[at].is_noun && !is_mean) {
        parser_refuse(p, "refuse.word", token_text(p, at));
        return;
    }
    if (!p->token[at].is_noun) /* "average passengers per flight": each row has some */
        parser_note(p, "assume.rows", token_text(p, at), NULL);
    if (last->is_implied && last->of) {
        last->reduce = REDUCE_MEAN;
        last->is_implied = false;
    }
}

/* "average number of loans per member": of each of them. */
bool
parse_keys_each(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    struct query *query = p->query;

    if (!scan->is_key || !scan->mean_rows ||
        (scan->key_term != TERM_PER && scan->key_term != TERM_EACH) ||
        !query->amounts || query->amount[query->amounts - 1].each ||
        value_is_date(p, p->token[at].value) || !parse_keys_fit(p, p->token[at].value))
        return false;
    query->amount[query->amounts - 1].each = value_wanted(p, at, false);
    scan->is_key = scan->mean_rows = false;
    token_use(p, at, at);
    return true;
}

/* "mean number of tests", where `test_name` is what is linked: rows. */
bool
parse_keys_mean_rows(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct column *column = token_column(p, at);

    const bool is_money = /* "number of bills" of `bill_eur` */
        column && column_is_in_currency(column, p->lexicon);
    if (scan->reduce != REDUCE_MEAN || !scan->counts || !p->token[at].is_plural ||
        (value_is_quantity(p, p->token[at].value) && !is_money &&
         !(column && column->is_unique && column->flags & FLAG_KEY)) ||
        !(p->token[at].is_noun || is_money || token_flags(p, at) & FLAG_ROWS))
        return false;
    parser_add_amount(p, REDUCE_COUNT, NULL);
    parser_note(p, "assume.rows", token_text(p, at), NULL);
    scan->mean_rows = true;
    scan->mean_at = at;
    scan->reduce = REDUCE_NONE;
    token_use(p, at, at);
    return true;
}

static bool
is_count(const struct amount *amount)
{
    return amount->reduce == REDUCE_COUNT || amount->reduce == REDUCE_DISTINCT;
}

/* The mean of what adds up to nothing: "average rating". */
static bool
is_intensive_mean(const struct parse_scan *scan, const struct amount *amount)
{
    const struct column *column = amount->of ? value_column(scan->p, amount->of) : NULL;

    return amount->reduce == REDUCE_MEAN && !amount->is_implied && column &&
           column->flags & FLAG_INTENSIVE;
}

/* "median mark per study year" of the years 1 to 4: one number for each of them. */
static bool
is_of_few(const struct parser *p, const struct amount *amount,
          const struct value *value)
{
    const struct column *column = value_column(p, value);
    const bool is_middle = amount->reduce == REDUCE_MEDIAN ||
                           (amount->reduce == REDUCE_MEAN && !amount->is_implied);

    return is_middle && column && value->kind == VALUE_COLUMN && column->unique > 0 &&
           column->unique <= SIZES_MOST && !column_counts_things(column);
}

/* "students per year group" counts them, "average rating per bedrooms" has one of each;
 * "revenue per employee" divides. */
static bool
is_of_kinds(const struct parse_scan *scan, const struct value *value)
{
    const struct query *query = scan->p->query;
    const struct amount *last = &query->amount[query->amounts - 1];

    if (scan->key_term == TERM_PER && is_of_few(scan->p, last, value))
        return true;
    return scan->key_term == TERM_PER &&
           (is_count(last) || is_intensive_mean(scan, last)) &&
           parse_keys_fit(scan->p, value);
}

/* "average amount paid per policy": one number, the mean over all policies; where there
 * are few, "average price per region" is a number of each. */
static bool
take_mean_over(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    struct query *query = p->query;
    const struct column *column = token_column(p, at);
    struct amount *last = query->amounts ? &query->amount[query->amounts - 1] : NULL;

    if (!scan->is_key || scan->key_term != TERM_PER || !column || !last || !last->of ||
        last->reduce != REDUCE_MEAN || last->is_implied || last->each || query->keys ||
        query->rank.is_there || query->is_sorted || p->has_explicit_chart ||
        p->wants_which || !(column->flags & FLAG_KEY) || column->is_unique ||
        column->unique * 4 < p->frame->rows || p->token[at].is_plural)
        return false;
    last->each = value_wanted(p, at, false);
    parser_note(p, "assume.each", column->name, NULL);
    scan->is_key = false;
    token_use(p, at, at);
    return true;
}

/* "price per room" of `rooms`: money for one of so many. */
static bool
is_for_one(const struct parse_scan *scan, int at)
{
    const struct parser *p = scan->p;
    const struct column *column = token_column(p, at),
                        *of = p->query->amounts
                                  ? value_column(
                                        p, p->query->amount[p->query->amounts - 1].of)
                                  : NULL;

    return column && of && column->words.count && !p->token[at].is_plural &&
           words_is_plural(column->words.at[column->words.count - 1].text) &&
           column_is_in_currency(of, p->lexicon);
}

bool
parse_keys_divisor(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct value *value = p->token[at].value;

    if (take_mean_over(scan, at))
        return true;
    const struct column *column = value_column(p, value);
    if (scan->is_key && p->query->amounts && scan->key_term == TERM_PER && column &&
        column->is_unique && (!value_is_quantity(p, value) || p->token[at].is_noun) &&
        scan->per_count <= 0 && p->query->amount[p->query->amounts - 1].of) {
        p->query->amount[p->query->amounts - 1].reduce = REDUCE_MEAN; /* of each row */
        p->query->amount[p->query->amounts - 1].is_implied = false;
        token_use(p, at, at);
        scan->is_key = false;
        return true;
    }
    if (!scan->is_key || !p->query->amounts || !value_is_quantity(p, value) ||
        (is_of_kinds(scan, value) && !is_for_one(scan, at)) ||
        (scan->key_term != TERM_PER && scan->key_term != TERM_DIVIDED))
        return false;
    parse_amounts_ratio(scan, at);
    scan->is_key = false;
    return true;
}

/* "loans by members who are not adults": who it was, not groups. */
bool
parse_keys_is_agent(const struct parser *p, int at)
{
    return token_is(p, at, TERM_BY) && token_kind(p, at + 1, TOKEN_VALUE) &&
           p->token[at + 1].is_plural && at + 2 < p->count &&
           (token_flags(p, at + 1) & (FLAG_PERSON | FLAG_ROWS)) &&
           token_is(p, at + 2, TERM_WHOSE);
}
