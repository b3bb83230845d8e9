/* aggregate: columns and rows as numbers of each group. */
#include "bridge/planner/groups/parse_groups.h"

/* "nitrate_mg_l", "ozone (ug/m3)": so much in so much. */
static bool
is_concentration(const struct parser *p, const struct column *column)
{
    size_t units = 0;

    for (size_t i = column->words.count; i > 1; i--) {
        const struct word *word = &column->words.at[i - 1];

        if (word->kind == WORD_MARK) /* "(ug/m3)" */
            continue;
        if (word->kind != WORD_NUMBER &&
            !(lexicon_flags(p->lexicon, word->stem) & FLAG_UNIT))
            break;
        units++;
    }
    return units > 1;
}

/* "which team spends the most on travel" */
static bool
says_spent(const struct parser *p)
{
    for (size_t i = 0; p->query->rank.is_there && i < p->reading->words.count; i++)
        if (lexicon_lists(p->lexicon, "word.spends", p->reading->words.at[i].text))
            return true;
    return false;
}

static bool
is_called_sum(const struct parser *p, const char *name)
{
    const char *last = strrchr(name, ' ');

    last = last ? last + 1 : name;
    const unsigned flags = lexicon_flags(p->lexicon, words_stem(last, strlen(last)));
    return flags & FLAG_ADDITIVE && !(flags & FLAG_INTENSIVE);
}

static enum query_aggregate
implied(struct parser *p, const struct value *value)
{
    const struct column *column =
        value_column(p, value->is_scaled ? value->left : value);
    enum query_aggregate reduce = REDUCE_MEAN;

    if (value->kind == VALUE_ARITHMETIC && value->name && is_called_sum(p, value->name))
        reduce = REDUCE_SUM; /* "profit", of prices and costs */
    else if (!column && value->kind == VALUE_ARITHMETIC &&
             (value->op == '-' || value->op == '+'))
        reduce = implied(p, value->left); /* as what it is made of */
    else if (column && value->name && value->kind == VALUE_COLUMN)
        reduce = REDUCE_SUM; /* "revenue", of which each row has its price */
    else if (!column)
        reduce = value->kind == VALUE_ARITHMETIC && value->op != '/' ? REDUCE_SUM
                                                                     : REDUCE_MEAN;
    else if (p->query->along == ALONG_CUMULATIVE || says_spent(p))
        reduce = REDUCE_SUM;
    else if (column->is_percent || is_concentration(p, column))
        reduce = REDUCE_MEAN;
    else if (column->flags & FLAG_ADDITIVE &&
             (!(column->last_flags & FLAG_INTENSIVE) ||
              column_is_called(column, p->lexicon, "word.totals"))) /* `TotalPrice` */
        reduce = REDUCE_SUM;
    else if (column_counts_things(column) && !(column->flags & FLAG_INTENSIVE))
        reduce = REDUCE_SUM; /* "the most support calls" */
    else if (column->last_flags & FLAG_UNIT && !(column->flags & FLAG_INTENSIVE))
        reduce = REDUCE_SUM; /* hectares, kilograms */
    return reduce;
}

/* "the most expensive district", "asking price" of `ask_eur`: prices are no sums. */
static bool
is_called_price(const struct parser *p, int at)
{
    const struct item *item = p->token[at].item;
    const struct word *first = &p->reading->words.at[item->begin],
                      *last = &p->reading->words.at[item->begin + item->len - 1];

    /* "which film is the longest": not the sum of its showings */
    const struct column *column = token_column(p, at);
    const bool is_length = first->superlative && column &&
                           column->flags & (FLAG_SECONDS | FLAG_MINUTES | FLAG_HOURS);

    const bool is_asked = /* "which course costs the most" */
        item->len == 1 && lexicon_lists(p->lexicon, "word.costs", first->text) &&
        (token_is(p, at + 1, TERM_HIGH) || token_is(p, at + 1, TERM_LOW) ||
         token_is(p, at + 1, TERM_MORE));

    const bool is_of_rows = /* "the longest flights": each of them is long */
        first->superlative && column && token_kind(p, at + 1, TOKEN_ROWS) &&
        !(column->flags & FLAG_ADDITIVE) &&
        !column_is_in_currency(column, p->lexicon) && p->token[at + 1].is_plural;
    return is_length || is_asked || is_of_rows ||
           (first->superlative && first->corrected) ||
           (item->len > 1 && lexicon_flags(p->lexicon, last->stem) & FLAG_INTENSIVE &&
            !(column && column_is_called(column, p->lexicon, "word.totals")));
}

/* "downtime" of `dt_min`: the word adds up, whatever the column's own say. */
static bool
is_said_to_add_up(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);
    const struct item *item = p->token[at].item;

    return column && item->len == 1 && p->token[at].score < 0.75f &&
           !(column->flags & (FLAG_INTENSIVE | FLAG_ADDITIVE)) && !column->is_percent &&
           is_called_sum(p, p->reading->words.at[item->begin].text);
}

void
parse_amounts_note(struct parser *p, const struct amount *amount)
{
    parser_note(p, amount->reduce == REDUCE_SUM ? "assume.sum" : "assume.mean",
                query_value_name(p->arena, p->frame, amount->of), NULL);
}

/* "how many bills" of `bill_eur`: what has a unit that nobody names is not counted. */
static bool
is_measured(const struct parser *p, const struct column *column)
{
    const struct word *last =
        column->words.count ? &column->words.at[column->words.count - 1] : NULL;

    if (!last || column->words.count < 2 ||
        !(column->is_percent || column->is_measured ||
          lexicon_flags(p->lexicon, last->stem) & FLAG_UNIT))
        return false;
    for (size_t i = 0; i < p->reading->words.count; i++) {
        uint64_t stem = p->reading->words.at[i].stem;

        if (stem == last->stem || lexicon_flags(p->lexicon, stem) & FLAG_UNIT)
            return false;
    }
    return true;
}

/* "how many customers": different ones, where a column tells them. */
void
parse_amounts_counted(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct value *value = p->token[at].value;
    const struct column *column = value_column(p, value);

    if (value_is_date(p, value) ||
        (column && column->is_unique && !value_is_quantity(p, value))) {
        parser_add_amount(p, REDUCE_COUNT, NULL);
    } else if (column && column_is_in_currency(column, p->lexicon) &&
               p->token[at].is_plural) {
        parser_add_amount(p, REDUCE_COUNT, NULL); /* "how many bills" of `bill_eur` */
        parser_note(p, "assume.rows", token_text(p, at), NULL);
    } else if (column && value_is_quantity(p, value) && /* "how many results" */
               p->token[at].is_plural &&                /* they add up to nothing */
               lexicon_lists(p->lexicon, "word.valuations", p->token[at].text)) {
        if (column->nulls)
            parser_add_test(p, value, OP_NOT_NULL);
        parser_add_amount(p, REDUCE_COUNT, NULL);
        parser_note(p, "assume.rows", token_text(p, at), NULL);
    } else if (column && is_measured(p, column)) {
        parser_refuse(p, "refuse.word", token_text(p, at));
    } else if (value_is_quantity(p, value)) {
        parser_add_amount(p, REDUCE_SUM, value);
        parser_note(p, "assume.sum", query_value_name(p->arena, p->frame, value), NULL);
    } else {
        parser_add_amount(p, REDUCE_DISTINCT, value);
        parser_note(p, "assume.distinct", query_value_name(p->arena, p->frame, value),
                    NULL);
    }
    token_use(p, at, at);
    scan->reduce = REDUCE_NONE;
    scan->is_measure = true;
}

/* "clicks / impressions" by platform, "overall load factor (passengers / seats)": of
 * their sums, not the mean of each row's, and never its sum. */
static bool
take_quotient(struct parse_scan *scan, int at, const struct value *value)
{
    struct parser *p = scan->p;

    if (value->kind != VALUE_ARITHMETIC || value->op != '/' || value->is_scaled ||
        value->right->kind == VALUE_NUMBER)
        return false;
    const bool are_sums = scan->reduce == REDUCE_NONE &&
                          implied(p, value->left) == REDUCE_SUM &&
                          implied(p, value->right) == REDUCE_SUM;
    if (!are_sums && scan->reduce != REDUCE_SUM)
        return false;
    scan->reduce = REDUCE_NONE;
    struct amount *per = arena_alloc(p->arena, 1, sizeof(*per));
    struct amount *amount = parser_add_amount(p, REDUCE_SUM, value->left);

    *per = (struct amount){.reduce = REDUCE_SUM, .of = value->right};
    amount->per = per;
    parser_note(p, "assume.ratio", query_value_name(p->arena, p->frame, value->left),
                query_value_name(p->arena, p->frame, value->right));
    token_use(p, at, at);
    scan->is_measure = true;
    return true;
}

void
parse_amounts_take(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct value *value = value_wanted(p, at, true);
    const struct column *column = value_column(p, value);
    enum query_aggregate reduce = scan->reduce;

    bool is_implied = reduce == REDUCE_NONE;

    scan->is_worth = false;
    if (take_quotient(scan, at, value))
        return;
    const bool is_name = column && column->role == ROLE_KEY &&
                         column->last_flags & FLAG_KEY; /* no sum makes sense of it */
    if (reduce != REDUCE_DISTINCT && !value_is_quantity(p, value) &&
        !value_is_flag(p, value) &&
        !(value_is_date(p, value) && (reduce == REDUCE_MIN || reduce == REDUCE_MAX)) &&
        (is_name || !(column && column_is_number(column)))) {
        parser_refuse(p, "refuse.notnumber",
                      query_value_name(p->arena, p->frame, value));
        return;
    }
    const bool is_extreme = is_implied && column && token_is_said_by(p, at - 1, column);
    if (is_implied)
        reduce = is_extreme ? (token_is(p, at - 1, TERM_HIGH) ? REDUCE_MAX : REDUCE_MIN)
                 : value_is_flag(p, value)  ? REDUCE_RATE
                 : is_called_price(p, at)   ? REDUCE_MEAN
                 : is_said_to_add_up(p, at) ? REDUCE_SUM
                                            : implied(p, value);
    struct amount *amount = parser_add_amount(p, reduce, value);
    amount->is_implied = is_implied && !is_extreme;
    amount->quantile = scan->quantile;
    if (reduce == REDUCE_QUANTILE && scan->other_quantile > 0 &&
        p->query->amounts < AMOUNTS_MAX) {
        struct amount second = *amount;

        amount->quantile = scan->other_quantile;
        p->query->amount[p->query->amounts++] = second;
    }
    if ((reduce == REDUCE_RATE || (reduce == REDUCE_MEAN && value_is_flag(p, value)))) {
        struct test *test = arena_alloc(p->arena, 1, sizeof(*test));

        *test = (struct test){.of = value, .op = OP_EQ};
        *amount = (struct amount){
            .reduce = REDUCE_RATE, .test = test, .tests = 1, .of = value};
    }
    if (scan->each) {
        amount->each = scan->each;
        scan->each = NULL;
    }
    token_use(p, at, at);
    scan->is_measure = true;
}

/* "how many" of a column of numbers. */
static bool
counts_sum(const struct parser *p, const struct amount *last)
{
    bool asks = false;

    for (int i = 0; i < p->count; i++)
        asks |= token_is(p, i, TERM_HOW_MANY);
    return asks && last && last->of && last->reduce == REDUCE_SUM && !last->per &&
           p->query->amounts == 1;
}

/* The one column that is called just a value, where cells say of what: "mean
 * glucose" of `test` and `result_value`. */
static bool
take_measure(struct parse_scan *scan)
{
    struct parser *p = scan->p;
    int at = scan->reduce_at, cell = at + 1, column = -1;

    while (token_is(p, cell, TERM_OF) || token_kind(p, cell, TOKEN_COMMA))
        cell++;
    if (scan->reduce == REDUCE_COUNT || scan->reduce == REDUCE_DISTINCT ||
        p->query->amounts)
        return false;
    if (scan->is_worth) /* "average amount of Aldi" */
        column = parser_roots_amount(p);
    else if (token_kind(p, cell, TOKEN_CELL))
        column = parser_roots_measure(p);
    else if (scan->reduce == REDUCE_SUM) /* "how much was given in total" */
        column = parser_roots_amount(p);
    if (column < 0)
        return false;
    struct amount *amount =
        parser_add_amount(p, scan->reduce, value_of_column(p, column));
    amount->quantile = scan->quantile;
    parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
    return true;
}

static bool
is_at_end(const struct parse_scan *scan)
{
    int behind = scan->reduce_at + 1;

    while (token_kind(scan->p, behind, TOKEN_STOP))
        behind++;
    return behind >= scan->p->count;
}

/* "loans per member on average", of rows that nothing has counted yet. */
static void
count_for_mean(struct parse_scan *scan)
{
    struct parser *p = scan->p;

    if (p->query->amounts || !scan->has_rows || scan->reduce != REDUCE_MEAN ||
        p->query->keys != 1 || !is_at_end(scan))
        return;
    parser_add_amount(p, REDUCE_COUNT, NULL);
}

void
parse_amounts_drop(struct parse_scan *scan)
{
    struct parser *p = scan->p;

    if (scan->reduce == REDUCE_COUNT) {
        parser_add_amount(p, REDUCE_COUNT, NULL);
        if (p->reading->words.at[p->token[scan->reduce_at].item->begin].superlative)
            parser_note(p, "assume.count", "", NULL); /* "which is the most popular" */
    } else if (scan->reduce && !take_measure(scan)) {
        count_for_mean(scan);
        struct amount *last =
            p->query->amounts ? &p->query->amount[p->query->amounts - 1] : NULL;

        bool counts = last && last->reduce == REDUCE_COUNT && !last->of;
        bool sums = last && last->of && last->reduce == REDUCE_SUM &&
                    !last->is_implied && is_at_end(scan);
        bool is_of_each = (counts || sums) && scan->reduce == REDUCE_MEAN &&
                          p->query->keys == 1 &&
                          (!p->key_is_given[0] || is_at_end(scan)) && !p->wants_which &&
                          !p->query->rank.is_there;

        if (counts_sum(p, last) && scan->reduce == REDUCE_MEAN) {
            last->reduce = REDUCE_MEAN; /* "how many nights do they stay on average" */
            for (unsigned i = 0; i < p->notes; i++)
                if (strcmp(p->note[i].key, "assume.sum") == 0)
                    p->note[i].key = "assume.mean";
        } else if (last && last->is_implied &&
                   last->of) /* "takes longest, on average" */
            last->reduce = scan->reduce;
        else if (is_of_each) { /* "how many loans does a borrower have on average" */
            last->each = p->query->key[0];
            p->query->keys = 0;
        } else if (counts && scan->reduce == REDUCE_SUM) /* "how many, in total" */
            last->is_implied = false;
        else if (!last || last->reduce != scan->reduce)
            parser_refuse(p, "refuse.word", token_text(p, scan->reduce_at));
        if (last)
            last->is_implied = false;
    }
    scan->reduce = REDUCE_NONE;
}

void
parse_amounts_of_row(struct parse_scan *scan)
{
    struct parser *p = scan->p;
    int column = scan->reduce ? parser_roots_amount(p) : -1;

    if (column < 0)
        return;
    struct amount *amount =
        parser_add_amount(p, scan->reduce, value_of_column(p, column));
    amount->quantile = scan->quantile;
    parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
    scan->reduce = REDUCE_NONE;
}

/* "average amount of orders", where a column says how much each is; "amount of orders"
 * may be only their number. */
bool
parse_amounts_worth(struct parse_scan *scan, int at)
{
    struct parser *p = scan->p;
    int column = scan->is_worth ? parser_roots_amount(p) : -1;

    if (!scan->is_worth || scan->is_key || (column < 0 && !scan->is_value))
        return false;
    scan->is_worth = false;
    if (column < 0) {
        parser_refuse(p, "refuse.word", token_text(p, at));
        return true;
    }
    struct amount *amount = parser_add_amount(
        p, scan->reduce ? scan->reduce : REDUCE_SUM, value_of_column(p, column));
    amount->quantile = scan->quantile;
    amount->is_implied = !scan->reduce;
    parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
    scan->reduce = REDUCE_NONE;
    scan->is_measure = true;
    return true;
}

/* "mean glucose result": rows have no mean, but the one number of theirs does. */
void
parse_amounts_mean_rows(struct parse_scan *scan)
{
    struct parser *p = scan->p;
    struct query *query = p->query;
    bool has_cell = false, is_one = !p->token[scan->mean_at].is_plural;

    if (!scan->mean_rows || scan->counts || query->amounts != 1 ||
        (query->keys && !is_one) || query->amount[0].of || query->amount[0].each ||
        query->amount[0].per)
        return;
    for (int i = 0; i < p->count; i++)
        has_cell |= token_kind(p, i, TOKEN_CELL);
    int column = has_cell ? parser_roots_measure(p) : -1;
    if (column < 0 && is_one) /* "average gift" */
        column = parser_roots_amount(p);
    if (column < 0) {
        if (is_one)
            parser_refuse(p, "refuse.word", token_text(p, scan->mean_at));
        return;
    }
    query->amount[0] =
        (struct amount){.reduce = REDUCE_MEAN, .of = value_of_column(p, column)};
    parser_note(p, "assume.measure", p->frame->column[column].name, NULL);
}
