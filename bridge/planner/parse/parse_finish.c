/* What the parts of a question imply: a time, rows or groups, the shape. */
#include "bridge/planner/groups/parse_groups.h"

static enum query_part
suitable_grain(const struct column *column)
{
    if (column->kind != COLUMN_DATE)
        return PART_YEAR;
    return column->days > 3 * 366 ? PART_YEAR
           : column->days > 92    ? PART_MONTH
                                  : PART_DAY;
}

/* "at what hour do most batches start": a part of the time, without months besides. */
static bool
has_part_of_time(const struct parser *p)
{
    for (unsigned i = 0; i < p->query->keys; i++)
        if (p->query->key[i]->kind == VALUE_PART)
            return !p->query->along && p->query->mark != MARK_LINE;
    return false;
}

/* "how did revenue change from 2023 to 2024": from year to year. */
static bool
compares_years(const struct parser *p)
{
    const struct query *query = p->query;

    if (query->along != ALONG_CHANGE && query->along != ALONG_PERCENT)
        return false;
    for (unsigned i = 0; i < query->tests; i++)
        if (query->test[i].of->kind == VALUE_PART &&
            query->test[i].of->part == PART_YEAR && query->test[i].op == OP_BETWEEN)
            return true;
    return false;
}

static void
add_time(struct parser *p)
{
    int date = parser_roots_time(p);

    if (date < 0) {
        parser_refuse(p, "refuse.nodates", "");
        return;
    }
    const struct column *column = &p->frame->column[date];
    enum query_part part = p->along_part       ? p->along_part
                           : compares_years(p) ? PART_YEAR
                           : p->query->along == ALONG_YEAR_BEFORE
                               ? PART_MONTH
                               : suitable_grain(column);
    for (unsigned i = 0; i < p->query->keys; i++)
        if (query_value_is_time(p->frame, p->query->key[i]))
            return;
    const struct value *key =
        column->kind == COLUMN_NUMBER
            ? value_of_column(p, date)
            : value_make(p, (struct value){.kind = VALUE_PART,
                                           .part = part,
                                           .left = value_of_column(p, date)});
    if (p->query->keys == KEYS_MAX)
        return;
    memmove(&p->query->key[1], &p->query->key[0],
            p->query->keys * sizeof(p->query->key[0]));
    p->query->key[0] = key;
    p->query->keys++;
    if (column->kind == COLUMN_DATE && !p->along_part)
        parser_note(p, "assume.grain", column->name, query_part_name(part));
}

/* A time comes first, so that steps along it find it. */
static void
put_time_first(struct query *query)
{
    for (unsigned i = 1; i < query->keys; i++)
        if (query_value_is_time(query->frame, query->key[i])) {
            const struct value *time = query->key[i];

            memmove(&query->key[1], &query->key[0], i * sizeof(query->key[0]));
            query->key[0] = time;
            return;
        }
}

/* "which orders are the largest", "who has the highest salary": rows in an order. */
static void
rank_rows(struct parser *p)
{
    struct query *query = p->query;
    struct amount *amount = &query->amount[0];

    if (query->amounts == 1 && amount->of && amount->per && amount->per->of &&
        amount->per_count <= 0) { /* "by price per square foot": each row has one */
        amount->of = value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                                  .op = '/',
                                                  .left = amount->of,
                                                  .right = amount->per->of});
        amount->per = NULL;
    }
    bool is_of_rows = token_kind(p, p->rank_at + 1, TOKEN_ROWS) ||
                      (token_kind(p, p->rank_at + 1, TOKEN_NUMBER) &&
                       token_kind(p, p->rank_at + 2, TOKEN_ROWS));
    int column =
        query->amounts || p->rank_at < 0 || !is_of_rows ? -1 : parser_roots_amount(p);

    if (column >= 0) { /* "the 10 largest claims" */
        struct amount *added =
            parser_add_amount(p, REDUCE_SUM, value_of_column(p, column));
        added->is_implied = true;
        parser_note(p, "assume.rank", p->frame->column[column].name, NULL);
    }
    if (query->amounts != 1 || !amount->of) {
        parser_refuse(p, "refuse.rankless", "");
        return;
    }
    bool has_rows = p->wants_which || query->rank.count > 0, is_asked = false;
    for (int i = 0; i < p->count; i++)
        has_rows |= token_kind(p, i, TOKEN_ROWS);
    for (int i = 0; i < p->rank_at && !query->rank.count; i++) /* "age of the oldest" */
        is_asked |= token_kind(p, i, TOKEN_VALUE) &&
                    (token_is(p, i + 1, TERM_OF) || token_is(p, i + 1, TERM_IS)) &&
                    query_value_is_same(p->token[i].value, amount->of);
    is_asked |= token_is(p, 0, TERM_HOW_IS) || parse_rank_is_number(p);
    has_rows &= !is_asked;
    for (int i = 1; i < p->count;
         i++) /* "which product": neither a key nor what rows are */
        if (token_kind(p, i, TOKEN_ROWS) && token_is(p, i - 1, TERM_WHICH) &&
            !p->token[i].is_noun && !p->token[i].is_plural) {
            parser_refuse(p, "refuse.column", token_text(p, i));
            return;
        }
    if (has_rows) {
        query->rank.by = amount->of;
        query->shape = SHAPE_ROWS;
        query->amounts = 0;
        parser_unnote_aggregate(p);
        return;
    }
    if (amount->reduce == REDUCE_STD) { /* "whose scores vary the most" */
        parser_refuse(p, "refuse.rankless", "");
        return;
    }
    /* "highest price": a number */
    query->amount[0].reduce = query->rank.is_low ? REDUCE_MIN : REDUCE_MAX;
    query->amount[0].is_implied = false;
    query->rank.is_there = false;
    parser_unnote_aggregate(p);
}

static bool
says_each(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_EACH) || token_is(p, i, TERM_PER) ||
            (token_part(p, i) && p->token[i].item->len > 1)) /* "per month" */
            return true;
    return false;
}

/* "top 3 products in each region": the key that was looked for comes last. */
static void
rank_within(struct parser *p)
{
    struct query *query = p->query;
    bool has_each = says_each(p);
    unsigned given = 0;
    int ranked = -1;

    if (query->keys < 2)
        return;
    for (int i = 0; i < p->count; i++)
        has_each |= token_is(p, i, TERM_BY);
    for (unsigned i = 0; i < query->keys; i++) {
        given += p->key_is_given[i];
        if (!p->key_is_given[i] && ranked < 0)
            ranked = (int)i;
    }
    query->rank.is_within = has_each && given > 0; /* "top 10 routes by flights" */
    if (!query->rank.is_within || ranked < 0)
        return;
    if (query->keys == 3 && given == 1)
        parser_refuse(p, "refuse.rankless", "");
    const struct value *key = query->key[ranked];
    memmove(&query->key[ranked], &query->key[ranked + 1],
            (query->keys - 1 - (unsigned)ranked) * sizeof(query->key[0]));
    query->key[query->keys - 1] = key;
}

/* "busiest month by passengers": what ranks, and no group. */
static bool
is_ranked_at(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_VALUE) &&
           query_value_is_same(p->token[at].value, p->query->amount[0].of);
}

/* "highest price by category" does not look for a category. */
static void
reduce_extreme(struct parser *p)
{
    struct query *query = p->query;
    bool is_direct = false, by = false;

    if (query->keys != 1 || query->rank.count || p->wants_which ||
        !query->amount[0].of || p->rank_at < 0 || query->amounts != 1)
        return;
    for (int i = p->rank_at + 1; i <= p->rank_at + 2 && i < p->count; i++)
        is_direct |= token_kind(p, i, TOKEN_VALUE) &&
                     query_value_is_same(p->token[i].value, query->amount[0].of);
    for (int i = p->rank_at; i < p->count; i++)
        by |= (token_is(p, i, TERM_BY) && !is_ranked_at(p, i + 1)) ||
              token_is(p, i, TERM_PER) || token_is(p, i, TERM_EACH);
    by |= token_is(p, 0, TERM_EACH); /* "for each lake, the highest level" */
    if (is_direct && by && query->amount[0].is_implied) {
        query->amount[0].reduce = query->rank.is_low ? REDUCE_MIN : REDUCE_MAX;
        query->amount[0].is_implied = false;
        query->rank.is_there = false;
        parser_unnote_aggregate(p);
    }
}

/* "top 5 borrowers" in a table of loans: no loans. */
static bool
ranks_people(const struct parser *p)
{
    const int at = p->rank_at + 1 + token_kind(p, p->rank_at + 1, TOKEN_NUMBER);

    return p->rank_at >= 0 && token_kind(p, at, TOKEN_ROWS) && !p->token[at].is_noun &&
           token_flags(p, at) & FLAG_PERSON && parse_rows_key(p, at) < 0;
}

static void
finish_rank(struct parser *p)
{
    struct query *query = p->query;

    parse_rank_drop_count(p);
    if (!query->rank.is_there || (query->along && !query->keys))
        return; /* the step that is largest: its periods are yet to come */
    if (query->move) {
        parse_moves_finish(p);
        return;
    }
    const bool has_who = !query->keys || (query->keys == 1 && p->key_is_given[0] &&
                                          says_each(p)); /* "who, in each team" */
    const int who = !has_who          ? -1
                    : p->wants_who    ? parse_people_column(p)
                    : ranks_people(p) ? parse_people_party(p)
                                      : -1;
    if (who >= 0)
        parser_add_key(p, value_of_column(p, who));
    if (!query->keys) {
        rank_rows(p);
        return;
    }
    if (says_each(p) && parse_rank_rows_of_groups(p))
        return;
    if (!query->amounts) {
        parser_add_amount(p, REDUCE_COUNT, NULL);
        parser_note(p, "assume.count", "", NULL);
    }
    parse_rank_of_one_row(p);
    rank_within(p);
    reduce_extreme(p);
}

/* "how many customers ordered at least ten times": of customers. */
static void
finish_having(struct parser *p)
{
    struct query *query = p->query;
    struct amount *amount = &query->amount[0];

    if (!query->having.is_there || query->keys || query->share == SHARE_GROUPS)
        return;
    if (query->having.is_overall) {
        parser_refuse(p, "refuse.having", "");
        return;
    }
    if (query->amounts == 1 && amount->reduce == REDUCE_DISTINCT) {
        query->having.of = amount->of;
        return;
    }
    for (int i = 0; i < p->count; i++) {
        int key = token_kind(p, i, TOKEN_ROWS) ? parse_rows_key(p, i) : -1;

        if (key < 0 || p->frame->column[key].is_unique)
            continue;
        parser_add_key(p, value_of_column(p, key));
        if (!query->amounts)
            parser_add_amount(p, REDUCE_COUNT, NULL);
        query->shape = SHAPE_TABLE;
        return;
    }
    parser_refuse(p, "refuse.having", "");
}

static void
finish_keys(struct parser *p)
{
    struct query *query = p->query;

    if (query->shape == SHAPE_ROWS && !query->rank.by &&
        (query->along || p->wants_time))
        query->shape = SHAPE_NUMBER;
    if ((p->wants_time || query->along ||
         (p->has_explicit_chart && query->mark == MARK_LINE)) &&
        !parse_shape_has_time(p) && !has_part_of_time(p))
        add_time(p);
    if (query->along || query->mark == MARK_LINE)
        put_time_first(query);
    for (unsigned i = 0; i < query->amounts; i++) /* "how many ranks by rank": rows */
        if (query->amount[i].reduce == REDUCE_DISTINCT && query->keys == 1 &&
            query_value_is_same(query->amount[i].of, query->key[0]))
            query->amount[i] = (struct amount){.reduce = REDUCE_COUNT};
    if (query->keys && !query->amounts && query->having.is_there && !query->having.of)
        query->amount[query->amounts++] = query->having.amount;
    if (query->keys && !query->amounts && query->shape != SHAPE_ROWS)
        parser_add_amount(p, REDUCE_COUNT, NULL);
    const struct column *first = query->keys ? value_column(p, query->key[0]) : NULL;
    if (first && first->is_unique && query->amounts && query->amount[0].is_implied &&
        !query->rank.is_there)
        p->is_legacy = true; /* rows as they are */
    if (query->is_difference && !query->is_compared)
        parser_refuse(p, "refuse.difference", "");
}

/* "more quantity on Mondays than on Fridays": all of it, of days that are as many. */
static bool
adds_up(const struct parser *p)
{
    const struct value *key = p->query->key[0];
    bool is_more = false;

    for (int i = 0; i < p->count; i++)
        is_more |= token_is(p, i, TERM_MORE) &&
                   lexicon_lists(p->lexicon, "word.amountsof", p->token[i].text);
    return is_more && key->kind == VALUE_PART && key->part != PART_WEEKEND;
}

/* "attendance on tv vs not on tv": groups of unlike size have no sums to compare. */
static void
mean_of_compared(struct parser *p)
{
    struct query *query = p->query;
    struct amount *amount = &query->amount[0];

    if (!query->is_compared || query->keys != 1 || query->amounts != 1 ||
        !amount->is_implied || amount->reduce != REDUCE_SUM || !amount->of)
        return;
    if (adds_up(p) || (!p->is_contest && query->key[0]->kind != VALUE_TEST &&
                       !value_is_flag(p, query->key[0])))
        return;
    amount->reduce = REDUCE_MEAN;
    for (unsigned i = 0; i < p->notes; i++)
        if (strcmp(p->note[i].key, "assume.sum") == 0)
            p->note[i].key = "assume.mean";
}

static void
keep_known(struct parser *p, const struct value *value, bool is_divisor)
{
    const struct column *column = value_column(p, value);

    /* few of what is divided change little; where most are missing, there was nothing
     * to write down */
    if (!column || column->nulls <= 0 || column->nulls * 2 > p->frame->rows ||
        (!is_divisor && column->nulls * 20 < p->frame->rows))
        return;
    parser_add_test(p, value_of_column(p, (int)(column - p->frame->column)),
                    OP_NOT_NULL);
    parser_note(p, "assume.gaps", column->name, NULL);
}

/* "sale price per square metre" of houses of which some are unsold: their square metres
 * do not count. */
static void
keep_known_of_ratio(struct parser *p)
{
    const struct query *query = p->query;
    const struct amount *amount = &query->amount[0];

    if (query->amounts != 1 || !amount->per || !amount->of || !amount->per->of ||
        amount->reduce != REDUCE_SUM || amount->per->reduce != REDUCE_SUM ||
        query->share || query->having.is_there || query->tests + 2 > TESTS_MAX)
        return;
    keep_known(p, amount->of, false);
    keep_known(p, amount->per->of, true);
}

/* "list the flats that sold for over 400k": rows of such cells. */
static bool
lists_rows(const struct parser *p)
{
    const int first = token_is(p, 0, TERM_SHOW) ? 1 : 0;
    bool is_subject = false;

    for (int i = first; i < p->count && !is_subject; i++) {
        if (!token_kind(p, i, TOKEN_CELL))
            break;
        is_subject = p->token[i].is_plural;
    }
    return is_subject && p->query->tests > 1 && !p->query->amounts && !p->query->keys &&
           !p->query->rank.is_there && !p->query->share && !p->has_explicit_chart;
}

void
parse_finish(struct parser *p)
{
    if (p->said_distinct && !p->query->keys)
        p->is_legacy = true; /* "unique cities": they, and not how many */
    if (p->counts_flag && !p->query->amounts && p->query->shape != SHAPE_ROWS &&
        p->query->tests)
        parser_add_amount(p, REDUCE_COUNT, NULL); /* "deaths in May" */
    parse_rank_judge(p);
    finish_rank(p);
    parse_sorted(p);
    parse_rank_note(p);
    finish_having(p);
    parse_never(p);
    finish_keys(p);
    parse_gaps_finish(p);
    mean_of_compared(p);
    parse_rank_row(p);
    keep_known_of_ratio(p);
    if (p->refusal)
        return;
    if (lists_rows(p))
        p->query->shape = SHAPE_ROWS;
    if (!p->query->amounts && p->query->shape != SHAPE_ROWS) {
        parser_refuse(p, "refuse.nosubject", "");
        return;
    }
    if (p->query->shape != SHAPE_OUTLIERS)
        parse_shape_choose(p);
    parse_notes(p);
}
