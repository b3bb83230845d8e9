/* group and aggregate: which columns are keys, and which are reduced how. */
#include "bridge/planner/parse/parser.h"

struct scan {
    struct parser *p;
    enum query_aggregate reduce; /* said, and waiting for its column */
    int reduce_at;
    double quantile;
    bool is_key;              /* after "by" */
    bool is_each;             /* after "in each": ranks are within */
    int key_term;             /* the term that said so */
    bool is_which;            /* the next column is what is looked for */
    bool is_done_key;         /* a key was just taken */
    bool is_measure;          /* an amount was just taken */
    bool is_bound;            /* the aggregate has had a column */
    bool is_ratio;            /* \"ratio of\" */
    bool has_rows;            /* a noun for rows was met */
    bool mean_rows;           /* "average number of orders": of each, which follows */
    const struct value *each; /* "average monthly" */
};

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

/* --- correlation --- */

/* "correlation between price and rating", "are price and rating correlated" */
void
parse_correlation(struct parser *p)
{
    const struct value *found[2];
    int count = 0, at = -1, place[2];

    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_CORRELATION) && token_is_free(p, i))
            at = i;
    if (at < 0)
        return;
    for (int i = 0; i < p->count && count < 2; i++)
        if (token_kind(p, i, TOKEN_VALUE) && token_is_free(p, i) &&
            (value_is_quantity(p, p->token[i].value) ||
             value_is_flag(p, p->token[i].value)) &&
            !token_is(p, i - 1, TERM_BY)) {
            place[count] = i;
            found[count++] = p->token[i].value;
        }
    if (count < 2) {
        parser_refuse(p, "refuse.two", "");
        return;
    }
    amount_add(p, REDUCE_CORRELATION, found[0])->with = found[1];
    token_use(p, at, at);
    token_use(p, place[0], place[0]);
    token_use(p, place[1], place[1]);
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_BETWEEN) || token_is(p, i, TERM_WITH))
            token_use(p, i, i);
}

/* --- keys --- */

static const struct value *
part_of_date(struct parser *p, int date, enum query_part part)
{
    return value_make(p, (struct value){.kind = VALUE_PART,
                                        .part = part,
                                        .left = value_of_column(p, date)});
}

static bool
is_key_column(const struct parser *p, const struct value *value)
{
    return !value_is_quantity(p, value);
}

/* "by month", "monthly", "hour of the day": a part of the date. */
static bool
take_grain(struct scan *scan, int at)
{
    struct parser *p = scan->p;
    enum query_part part = part_of_term(p->token[at].term);

    if (!token_kind(p, at, TOKEN_TERM) || !part || !token_is_free(p, at))
        return false;
    int date = parser_time(p);
    if (date < 0) {
        parser_refuse(p, "refuse.nodates", token_text(p, at));
        return true;
    }
    if (p->frame->column[date].kind != COLUMN_DATE && part != PART_YEAR) {
        parser_refuse(p, "refuse.grain", p->frame->column[date].name);
        return true;
    }
    token_use(p, at, at);
    if (token_is(p, at + 1, TERM_OF) && token_column(p, at + 2) &&
        token_column(p, at + 2)->kind == COLUMN_DATE)
        token_use(p, at + 1, at + 2);
    /* "order date month" */
    if (token_column(p, at - 1) && token_column(p, at - 1)->kind == COLUMN_DATE)
        token_use(p, at - 1, at - 1);
    if (scan->reduce == REDUCE_MEAN && !scan->is_key && at == scan->reduce_at + 1) {
        scan->each = part_of_date(p, date, part);
        scan->reduce_at = at;
        return true; /* "average monthly revenue": the mean of months */
    }
    if (scan->mean_rows && !p->query->keys) { /* "requests per hour" */
        p->query->amount[p->query->amounts - 1].each = part_of_date(p, date, part);
        scan->mean_rows = false;
        return true;
    }
    if (key_add(p, part_of_date(p, date, part)))
        p->key_is_given[p->query->keys - 1] |= !scan->is_which;
    scan->is_which = false;
    scan->is_done_key = true;
    return true;
}

static void
take_key(struct scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct value *value = value_wanted(p, at, false);

    p->token[at].value = value;
    token_use(p, at, at);
    if (value_is_date(p, value)) {
        for (int i = at + 1; i <= at + 2; i++)
            if (token_kind(p, i, TOKEN_TERM) && part_of_term(p->token[i].term))
                return; /* the part follows */
        p->wants_time = true;
        scan->is_done_key = true;
        return;
    }
    if (value_is_quantity(p, value) && !value_is_flag(p, value)) {
        const struct column *column = value_column(p, value);
        if (column && column->role != ROLE_DISCRETE && !p->query->is_sorted &&
            !p->query->rank.is_there)
            p->is_legacy = true; /* a scatter plot */
        if (!column || column->role != ROLE_DISCRETE) {
            value = value_make(p, (struct value){.kind = VALUE_BAND,
                                                 .left = value,
                                                 .count = column ? 10 : 10});
            parser_note(p, "assume.bins", value_name(p->arena, p->frame, value->left),
                        NULL);
        }
    }
    if (key_add(p, value))
        p->key_is_given[p->query->keys - 1] |= scan->is_key;
    scan->is_done_key = true;
}

/* --- amounts --- */

static enum query_aggregate
implied(struct parser *p, const struct value *value)
{
    const struct column *column = value_column(p, value);
    enum query_aggregate reduce = REDUCE_MEAN;

    if (!column)
        reduce = value->kind == VALUE_ARITHMETIC && value->op != '/' ? REDUCE_SUM
                                                                     : REDUCE_MEAN;
    else if (column->is_percent)
        reduce = REDUCE_MEAN;
    else if (column->flags & FLAG_ADDITIVE && !(column->last_flags & FLAG_INTENSIVE))
        reduce = REDUCE_SUM;
    return reduce;
}

static void
note_implied(struct parser *p, const struct amount *amount)
{
    parser_note(p, amount->reduce == REDUCE_SUM ? "assume.sum" : "assume.mean",
                value_name(p->arena, p->frame, amount->of), NULL);
}

/* "how many customers": different ones, where a column tells them. */
static void
take_counted(struct scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct value *value = p->token[at].value;
    const struct column *column = value_column(p, value);

    if (value_is_date(p, value) || (column && column->is_unique)) {
        amount_add(p, REDUCE_COUNT, NULL);
    } else if (value_is_quantity(p, value)) {
        amount_add(p, REDUCE_SUM, value);
        parser_note(p, "assume.sum", value_name(p->arena, p->frame, value), NULL);
    } else {
        amount_add(p, REDUCE_DISTINCT, value);
        parser_note(p, "assume.distinct", value_name(p->arena, p->frame, value), NULL);
    }
    token_use(p, at, at);
    scan->reduce = REDUCE_NONE;
    scan->is_measure = true;
}

static void
take_ratio(struct scan *scan, int at)
{
    struct parser *p = scan->p;
    struct amount *last = &p->query->amount[p->query->amounts - 1];
    struct amount *per = arena_alloc(p->arena, 1, sizeof(*per));
    const struct value *value = p->token[at].value;

    *per = (struct amount){.reduce = value_is_quantity(p, value) ? REDUCE_SUM
                                                                 : REDUCE_DISTINCT,
                           .of = value};
    last->reduce = last->of ? REDUCE_SUM : REDUCE_COUNT;
    last->per = per;
    last->is_implied = false;
    token_use(p, at, at);
    parser_note(p, "assume.ratio",
                last->of ? value_name(p->arena, p->frame, last->of) : "rows",
                value_name(p->arena, p->frame, value));
}

static void
take_amount(struct scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct value *value = value_wanted(p, at, true);
    const struct column *column = value_column(p, value);
    enum query_aggregate reduce = scan->reduce;

    bool is_implied = reduce == REDUCE_NONE;

    if (reduce != REDUCE_DISTINCT && !value_is_quantity(p, value) &&
        !value_is_flag(p, value) &&
        !(value_is_date(p, value) && (reduce == REDUCE_MIN || reduce == REDUCE_MAX)) &&
        !(column && column_is_number(column))) {
        parser_refuse(p, "refuse.notnumber", value_name(p->arena, p->frame, value));
        return;
    }
    if (is_implied)
        reduce = value_is_flag(p, value) ? REDUCE_RATE : implied(p, value);
    struct amount *amount = amount_add(p, reduce, value);
    amount->is_implied = is_implied;
    amount->quantile = scan->quantile;
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

/* A column where nothing said what it is: numbers are reduced, names group. */
static void
take_plain(struct scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct value *value = p->token[at].value;

    if (value_is_quantity(p, value))
        take_amount(scan, at);
    else if (p->token[at].is_plural && token_kind(p, at - 1, TOKEN_CELL) &&
             p->token[at].score < 0.95f)
        token_use(p, at, at); /* "corporate customers" are rows */
    else if (value_is_date(p, value) && token_kind(p, at + 1, TOKEN_TERM) &&
             part_of_term(p->token[at + 1].term))
        token_use(p, at, at); /* "order date month" */
    else if (value_is_date(p, value)) {
        p->wants_time = true;
        token_use(p, at, at);
    } else
        take_key(scan, at);
}

static void
take_column(struct scan *scan, int at)
{
    struct parser *p = scan->p;
    const struct value *value = p->token[at].value;
    bool is_near = scan->reduce && at - scan->reduce_at <= 3;

    if (token_is(p, at + 1, TERM_RATE) && value_is_flag(p, value)) {
        scan->reduce = REDUCE_NONE;
        take_amount(scan, at);
        token_use(p, at + 1, at + 1);
        return;
    }
    if (scan->is_key && p->query->amounts && value_is_quantity(p, value) &&
        (scan->key_term == TERM_PER || scan->key_term == TERM_DIVIDED)) {
        take_ratio(scan, at);
        scan->is_key = false;
        return;
    }
    if (scan->is_key && !(is_near && scan->reduce != REDUCE_COUNT)) {
        bool is_rank = p->query->rank.is_there && scan->key_term == TERM_BY &&
                       value_is_quantity(p, value);
        if (is_rank || (p->query->is_sorted && value_is_quantity(p, value) &&
                        scan->key_term == TERM_BY && p->query->amounts == 0)) {
            take_amount(scan, at);
            scan->reduce = REDUCE_NONE;
            return;
        }
        take_key(scan, at);
        return;
    }
    if (is_near && scan->reduce == REDUCE_COUNT) {
        take_counted(scan, at);
        return;
    }
    if (is_near) {
        scan->is_bound = true;
        take_amount(scan, at);
        if (!token_is(p, at + 1, TERM_AND) && !token_kind(p, at + 1, TOKEN_COMMA))
            scan->reduce = REDUCE_NONE;
        else
            scan->reduce_at = at + 1;
        return;
    }
    if (scan->is_which || token_is(p, at - 1, TERM_TOP) ||
        token_is(p, at - 1, TERM_BOTTOM)) {
        scan->is_which = false;
        if (is_key_column(p, value)) {
            take_key(scan, at);
            scan->is_done_key = false;
            return;
        }
    }
    take_plain(scan, at);
}

/* --- terms --- */

/* "90th": a number, and letters that are no word. */
static bool
is_nth(const struct parser *p, int at)
{
    return token_is(p, at, TERM_NTH) ||
           (token_kind(p, at, TOKEN_UNKNOWN) && strcmp(p->token[at].text, "th") == 0);
}

static bool
take_quantile(struct scan *scan, int at)
{
    struct parser *p = scan->p;

    bool is_short = token_kind(p, at, TOKEN_UNKNOWN) &&
                    strcmp(p->token[at].text, "p") == 0 &&
                    token_kind(p, at + 1, TOKEN_NUMBER);
    if (!token_is(p, at, TERM_PERCENTILE) && !is_short)
        return false;
    int number = token_kind(p, at - 1, TOKEN_NUMBER)   ? at - 1
                 : is_nth(p, at - 1)                   ? at - 2
                 : token_kind(p, at + 1, TOKEN_NUMBER) ? at + 1
                                                       : -1;
    if (number < 0 || !token_kind(p, number, TOKEN_NUMBER) ||
        p->token[number].number >= 100) {
        parser_refuse(p, "refuse.percentile", token_text(p, at));
        return true;
    }
    scan->quantile = p->token[number].number / 100;
    scan->reduce = REDUCE_QUANTILE;
    scan->reduce_at = at > number ? at : number;
    token_use(p, number < at ? number : at, scan->reduce_at);
    if (token_is(p, at + 1, TERM_OF))
        token_use(p, at + 1, at + 1);
    return true;
}

static void
drop_reduce(struct scan *scan)
{
    struct parser *p = scan->p;

    if (scan->reduce == REDUCE_COUNT) {
        amount_add(p, REDUCE_COUNT, NULL);
    } else if (scan->reduce) {
        struct amount *last =
            p->query->amounts ? &p->query->amount[p->query->amounts - 1] : NULL;

        if (last && last->is_implied && last->of) /* "takes longest, on average" */
            last->reduce = scan->reduce;
        else if (!last || last->reduce != scan->reduce)
            parser_refuse(p, "refuse.word", token_text(p, scan->reduce_at));
        if (last)
            last->is_implied = false;
    }
    scan->reduce = REDUCE_NONE;
}

static void
take_term(struct scan *scan, int at)
{
    struct parser *p = scan->p;
    enum term term = p->token[at].term;
    enum query_aggregate reduce = aggregate_of(term);

    if (reduce) {
        if (scan->reduce == REDUCE_MEAN &&
            (reduce == REDUCE_COUNT || term == TERM_HOW_MUCH)) {
            token_use(p, at, at); /* "average number of" a column */
            scan->reduce_at = at;
            return;
        }
        if (scan->reduce && scan->reduce != REDUCE_COUNT && reduce != REDUCE_COUNT &&
            !scan->is_bound &&
            token_is(p, at - 1, TERM_AND)) /* "minimum and maximum price" */
            for (int i = at + 1; i < p->count && i < at + 4; i++)
                if (token_kind(p, i, TOKEN_VALUE)) {
                    amount_add(p, scan->reduce, p->token[i].value);
                    break;
                }
        p->said_distinct |= term == TERM_DISTINCT && scan->reduce != REDUCE_COUNT;
        if (scan->reduce != reduce)
            drop_reduce(scan);
        scan->reduce = reduce;
        scan->reduce_at = at;
        scan->is_bound = false;
        scan->is_key = false;
        token_use(p, at, at);
    } else if (starts_key(term)) {
        drop_reduce(scan);
        scan->is_key = true;
        scan->key_term = (int)term;
        scan->is_each = term == TERM_EACH || term == TERM_PER;
        token_use(p, at, at);
    } else if (term == TERM_DIVIDED || term == TERM_RATIO ||
               (term == TERM_TO && scan->is_ratio)) {
        scan->is_ratio |= term == TERM_RATIO;
        scan->is_key = term != TERM_RATIO;
        scan->key_term = TERM_DIVIDED;
        token_use(p, at, at);
    } else if (term == TERM_WHICH) {
        scan->is_which = true;
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

/* The column that tells such things apart: `customer_id` of customers. */
static int
key_of_noun(const struct parser *p, int at)
{
    uint64_t stem = p->reading->words.at[p->token[at].item->begin].stem;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct form *form = &p->frame->column[i].form[0];
        bool has_noun = false, has_key = false;

        for (unsigned k = 0; p->frame->column[i].forms && k < form->count; k++) {
            has_noun |= form->unit[k].stem == stem;
            has_key |= form->unit[k].is_key;
        }
        if (has_noun && (has_key || form->count == 1))
            return i;
    }
    return -1;
}

/* "revenue per order": of a row; "per customer": of each of them. */
static void
take_per_rows(struct scan *scan, int at)
{
    struct parser *p = scan->p;
    struct amount *last = &p->query->amount[p->query->amounts - 1];
    int key = key_of_noun(p, at);

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
        key_add(p, value_of_column(p, key));
        return;
    }
    if (!p->token[at].is_noun) {
        parser_refuse(p, "refuse.word", token_text(p, at));
        return;
    }
    if (last->is_implied && last->of) {
        last->reduce = REDUCE_MEAN;
        last->is_implied = false;
    }
}

/* "number of orders", "how many patients", "revenue per order" */
static void
take_rows(struct scan *scan, int at)
{
    struct parser *p = scan->p;
    bool counts = scan->reduce == REDUCE_COUNT || scan->reduce == REDUCE_SUM ||
                  scan->reduce == REDUCE_DISTINCT || scan->reduce == REDUCE_MEAN;
    int key = key_of_noun(p, at);

    scan->has_rows = true;
    token_use(p, at, at);
    if (scan->is_key && p->query->amounts && scan->key_term == TERM_PER) {
        take_per_rows(scan, at);
        return;
    }
    if (!counts)
        return;
    if (key >= 0 && !p->frame->column[key].is_unique && scan->reduce != REDUCE_MEAN &&
        (scan->reduce == REDUCE_DISTINCT || !p->token[at].is_noun)) {
        amount_add(p, REDUCE_DISTINCT, value_of_column(p, key));
        parser_note(p, "assume.distinct", p->frame->column[key].name, NULL);
    } else if (scan->reduce == REDUCE_DISTINCT && key < 0) {
        parser_refuse(p, "refuse.word", token_text(p, at));
    } else {
        amount_add(p, REDUCE_COUNT, NULL);
        scan->mean_rows = scan->reduce == REDUCE_MEAN;
        if (!p->token[at].is_noun)
            parser_note(p, "assume.rows", token_text(p, at), NULL);
    }
    scan->reduce = REDUCE_NONE;
}

static void
scan_token(struct scan *scan, int at)
{
    struct parser *p = scan->p;

    if (take_grain(scan, at) || take_quantile(scan, at))
        return;
    enum token_kind kind = p->token[at].kind;
    if (kind == TOKEN_TERM)
        take_term(scan, at);
    else if (kind == TOKEN_VALUE)
        take_column(scan, at);
    else if (kind == TOKEN_ROWS)
        take_rows(scan, at);
    else if (kind == TOKEN_COMMA && !scan->is_done_key)
        scan->is_key = false;
}

void
parse_groups(struct parser *p)
{
    struct scan scan = {.p = p};

    for (int i = 0; i < p->count; i++) {
        bool had_key = scan.is_done_key;

        if (!token_is_free(p, i)) {
            scan.is_key &= !token_is(p, i, TERM_SHARE) && !token_is(p, i, TERM_FOR) &&
                           !token_is(p, i, TERM_IN) && !token_is(p, i, TERM_WHOSE);
            continue;
        }
        scan_token(&scan, i);
        if (had_key && scan.is_done_key && !token_is(p, i, TERM_AND) &&
            !token_kind(p, i, TOKEN_COMMA) && !token_kind(p, i, TOKEN_VALUE))
            scan.is_done_key = false;
    }
    drop_reduce(&scan);
    bool says_more = false;
    for (unsigned i = 0; i < p->query->amounts; i++)
        says_more |= !p->query->amount[i].is_implied;
    for (unsigned i = 0; i < p->query->keys; i++)
        says_more |= p->key_is_given[i];
    p->is_legacy |=
        p->query->is_sorted && scan.has_rows && !says_more; /* rows in order */
    if (scan.has_rows && !p->query->amounts && p->query->keys && !p->query->rank.by)
        amount_add(p, REDUCE_COUNT, NULL);
    else if (scan.has_rows && !p->query->amounts && !p->query->rank.is_there)
        p->query->shape = SHAPE_ROWS;
    for (unsigned i = 0; i < p->query->amounts; i++)
        if (p->query->amount[i].is_implied && p->query->amount[i].of &&
            p->query->amount[i].reduce != REDUCE_RATE)
            note_implied(p, &p->query->amount[i]);
}
