/* share: of the total, within groups, of rows that fulfil a condition; rates. */
#include "bridge/planner/tokens/parser.h"

static bool
is_share(const struct parser *p, int at)
{
    return token_is(p, at, TERM_SHARE);
}

/* A condition as a rate: those tests leave the query's. */
static void
make_rate(struct parser *p, unsigned from)
{
    struct query *query = p->query;
    parse_share_keep(p, &from);
    unsigned count = query->tests - from;
    struct test *tests = arena_alloc(p->arena, count, sizeof(*tests));

    memcpy(tests, &query->test[from], count * sizeof(*tests));
    query->tests = from;
    struct amount *amount = parser_add_amount(p, REDUCE_RATE, tests[0].of);
    amount->test = tests;
    amount->tests = count;
}

/* "ratio of managers to all employees": a share of the rows. */
static void
take_ratio_of_rows(struct parser *p, int at)
{
    int to = at + 1;

    if (!token_is(p, at, TERM_RATIO))
        return;
    while (to < p->count && !token_is(p, to, TERM_TO))
        to++;
    if (!token_kind(p, to + 1, TOKEN_ROWS))
        return;
    p->wants_share = true;
    p->share_at = at;
    token_use(p, at, at);
    token_use(p, to, to + 1);
}

/* "tip as a percentage of food and drinks": divided by both. */
static void
take_percentage_of(struct parser *p, int at)
{
    int of = token_is(p, at + 1, TERM_OF) ? at + 2 : at + 1;

    if (!token_is(p, at, TERM_PERCENT_UNIT) || !value_is_quantity_at(p, at - 1) ||
        !value_is_quantity_at(p, of))
        return;
    if (token_is(p, of + 1, TERM_AND) && value_is_quantity_at(p, of + 2)) {
        p->token[of].value =
            value_make(p, (struct value){.kind = VALUE_ARITHMETIC,
                                         .op = '+',
                                         .left = p->token[of].value,
                                         .right = p->token[of + 2].value});
        token_use(p, of + 1, of + 2);
        p->token[of + 2].kind = TOKEN_COMMA;
    }
    p->token[at].term = TERM_DIVIDED;
    if (of > at + 1)
        token_use(p, at + 1, at + 1);
}

/* "critical violations as a share of total violations": divided. */
static void
take_share_of_other(struct parser *p, int at)
{
    if (!is_share(p, at) || !token_is_free(p, at) || !token_is(p, at - 1, TERM_AS) ||
        !value_is_quantity_at(p, at - 2) || !value_is_quantity_at(p, at + 1) ||
        p->token[at + 1].score < 0.9f ||
        query_value_is_same(p->token[at - 2].value, p->token[at + 1].value) ||
        token_kind(p, at - 3, TOKEN_CELL)) /* "inner walk": the other's, too? */
        return;
    p->token[at].term = TERM_DIVIDED;
    token_use(p, at - 1, at - 1);
}

/* Before the conditions are read: whose words would be taken apart. */
void
parse_share(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        take_ratio_of_rows(p, i);
        take_percentage_of(p, i);
        take_share_of_other(p, i);
    }
    for (int i = 0; i < p->count; i++) {
        parse_rate_take(p, i);
        if (is_share(p, i) && token_kind(p, i - 1, TOKEN_NUMBER) &&
            p->token[i].item->len == 1 && !token_is(p, i + 1, TERM_OF)) {
            p->has_percent = true; /* "above 18 percent" */
            token_use(p, i, i);
            continue;
        }
        if (is_share(p, i) && token_is_free(p, i)) {
            p->wants_share = true;
            p->share_at = i;
            token_use(p, i, i);
            /* "granted amount as a share of the requested": not what follows alone */
            if (token_is(p, i - 1, TERM_AS) &&
                token_kind(p, i + 1 + token_is(p, i + 1, TERM_OF), TOKEN_VALUE))
                parser_refuse(p, "refuse.share", "");
            if (token_is(p, i + 1, TERM_OF))
                token_use(p, i + 1, i + 1);
            /* "of the total": what a share is of anyway */
            for (int k = i + 1; k < p->count; k++)
                if (token_is(p, k, TERM_SUM) &&
                    (token_is(p, k - 1, TERM_OF) || k == i + 1))
                    token_use(p, k, k);
        }
    }
    for (int i = 0; p->wants_share && i < p->count; i++)
        if (token_is(p, i, TERM_HOW_MUCH))
            token_use(p, i, i); /* "how much does each contribute" */
}

/* The noun whose share is asked: what stands before it says of which rows. */
static int
noun_at(const struct parser *p)
{
    for (int i = p->share_at + 1; p->share_at >= 0 && i < p->count; i++)
        if (token_kind(p, i, TOKEN_ROWS))
            return i;
    return -1;
}

/* The first word behind the share that says what rows are or have: "of women are …". */
static size_t
verb_behind_share(const struct parser *p)
{
    const char *verbs = lexicon_say(p->lexicon, p->arena, "word.verbs", NULL, 0);
    struct words known = words_split(p->arena, slice_of(verbs ? verbs : ""), 32);
    size_t at =
        p->share_at < 0 ? p->reading->words.count : p->token[p->share_at].item->begin;

    for (; at < p->reading->words.count; at++)
        for (size_t i = 0; i < known.count; i++)
            if (strcmp(p->reading->words.at[at].text, known.at[i].text) == 0)
                return at;
    return p->reading->words.count;
}

/* Those between the share and `end`, a word, come first; how many, if not all. */
static unsigned
put_first_until(struct parser *p, size_t end)
{
    unsigned base = 0;

    for (unsigned i = 0; i < p->query->tests; i++)
        if (p->test_at[i] > p->share_at && p->token[p->test_at[i]].item->begin < end)
            parse_share_swap(p, base++, i);
    return base < p->query->tests ? base : 0;
}

/* "share of audiobooks with a fine", "of audiobooks never renewed": what has it, or
 * not, is what the share is of. */
static bool
is_whole(const struct parser *p, unsigned test)
{
    const int at = p->share_at + 1 + token_is(p, p->share_at + 1, TERM_OF),
              next = at + 1;

    return p->share_at >= 0 && p->query->tests == 2 && p->test_at[test] == at &&
           p->test_at[1 - test] > at && token_kind(p, at, TOKEN_CELL) &&
           p->token[at].is_plural &&
           (token_is(p, next, TERM_WITH) || token_is(p, next, TERM_WHOSE) ||
            token_is(p, next, TERM_NOT) || words_ends_in_ed(p->token[next].text));
}

/* Puts the conditions that say of which rows in front; those behind are asked for. */
static unsigned
base_tests(struct parser *p)
{
    unsigned base = 0;
    int noun = noun_at(p);

    /* "of the economy parcels, what share came back": said before */
    if (token_is(p, 0, TERM_OF) || token_is(p, 0, TERM_IN) || token_is(p, 0, TERM_FOR))
        for (unsigned i = 0; i < p->query->tests; i++)
            if (p->test_at[i] < p->share_at)
                parse_share_swap(p, base++, i);
    if (base && base < p->query->tests)
        return base;
    if (p->query->tests == 1 && p->test_at[0] == 0 && token_kind(p, 0, TOKEN_CELL) &&
        token_kind(p, 1, TOKEN_COMMA))
        return 1; /* "SunJet: breakdown of causes in %" */
    base = 0;
    if (noun >= 0)
        base = put_first_until(p, p->token[noun].item->begin + 1); /* "of replies" */
    if (!base)
        base = put_first_until(p, verb_behind_share(p));
    for (unsigned i = 0; !base && i < p->query->tests; i++)
        if (is_whole(p, i))
            parse_share_swap(p, base++, i);
    if (base)
        return base;
    /* "share of women in Engineering", "of seniors among new customers": of those. */
    for (unsigned i = 0; p->query->tests == 2 && i < 2; i++)
        if (p->test_at[i] > p->test_at[1 - i] &&
            (token_is(p, p->test_at[i] - 1, TERM_IN) ||
             token_is(p, p->test_at[i] - 1, TERM_FROM) ||
             token_is(p, p->test_at[i] - 1, TERM_FOR))) {
            parse_share_swap(p, 0, i);
            return 1;
        }

    /* Calendar tests were read first, and say of which rows. */
    for (unsigned i = 0; i < p->query->tests; i++) {
        if (parse_share_is_calendar(p, &p->query->test[i]))
            parse_share_swap(p, base++, i);
    }
    return base < p->query->tests ? base : 0;
}

static bool
has_or(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_OR))
            return true;
    return false;
}

/* "compare cancellations of web and app": the share of each that a flag picks. */
static void
compare_rates(struct parser *p)
{
    struct query *query = p->query;
    bool counts = !query->amounts || (query->amounts == 1 && !query->amount[0].of);

    if (!p->wants_compare || !counts || query->keys != 1 || p->wants_share)
        return;
    for (unsigned i = 0; i < query->tests; i++) {
        const struct test *test = &query->test[i];

        if (!value_is_flag(p, test->of) || test->op != OP_EQ ||
            query_value_is_same(test->of, query->key[0]))
            continue;
        parser_note(p, "assume.rate", query_test_name(p->arena, p->frame, test), NULL);
        parse_share_swap(p, i, query->tests - 1);
        query->amounts = 0;
        make_rate(p, query->tests - 1);
        return;
    }
}

static void share_of_amount(struct parser *p);

/* "(net - cost) / net in percent": what one of two numbers is of the other. */
static bool
take_ratio_percent(struct parser *p)
{
    struct amount *amount = &p->query->amount[0];

    if (p->query->amounts != 1 || !amount->per || !amount->of || !amount->per->of ||
        amount->per_count > 0)
        return false;
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_PERCENT_UNIT) && token_is_free(p, i)) {
            token_use(p, i, i);
            amount->is_percent = true;
            amount->per_count = 100;
        }
    return amount->is_percent;
}

/* "orders by region in percent": of all of them. */
static void
find_percent(struct parser *p)
{
    const struct query *query = p->query;
    bool adds_up = query->amounts == 1 && (query->amount[0].reduce == REDUCE_COUNT ||
                                           query->amount[0].reduce == REDUCE_SUM);

    if (take_ratio_percent(p) || p->wants_share || query->along || query->keys == 0 ||
        query->is_compared || (query->amounts && !adds_up) || query->rank.is_there)
        return;
    for (int i = 0; i < p->count; i++)
        if (token_is(p, i, TERM_PERCENT_UNIT) && token_is_free(p, i)) {
            p->wants_share = true;
            token_use(p, i, i);
        }
}

/* "of women and men", right behind the share: each of them has one. */
static bool
is_of_values(const struct parser *p, const struct test *test)
{
    return test->op == OP_IN && !test->is_not && !has_or(p) &&
           !query_value_is_same(test->of, p->query->key[0]) &&
           p->test_at[0] == p->share_at + 1 + token_is(p, p->share_at + 1, TERM_OF);
}

/* "between June and August": months that follow one another, and so one share. */
static bool
is_from_to(const struct parser *p, const struct test *test)
{
    bool is_range = false;

    for (int i = 0; i < p->count; i++)
        is_range |= token_is(p, i, TERM_BETWEEN) || token_is(p, i, TERM_FROM);
    return is_range && parse_share_is_calendar(p, test);
}

/* "of Rome and Oslo together": one share. */
static bool
says_together(const struct parser *p)
{
    for (size_t i = 0; i < p->reading->words.count; i++)
        if (lexicon_lists(p->lexicon, "word.together", p->reading->words.at[i].text))
            return true;
    return false;
}

void
parse_compare(struct parser *p)
{
    struct query *query = p->query;

    find_percent(p);
    parse_share_drop_key(p);
    if (p->wants_share)
        parse_share_known(p);
    if (p->wants_share && parse_share_of_groups(p)) {
        p->has_subject = true;
        return;
    }
    if (p->wants_share && query->having.is_there && !query->along) {
        parser_refuse(p, "refuse.share", "");
        return;
    }

    if (p->wants_share && !query->along) {
        bool counts = !query->amounts || (query->amounts == 1 && !query->amount[0].of);

        const struct test *only = query->tests == 1 ? &query->test[0] : NULL;

        if (counts && only && only->op == OP_IN && !only->is_not && !query->keys &&
            !has_or(p) && !says_together(p) && !is_from_to(p, only)) {
            parser_add_key(p, only->of); /* "proportion of men and women" */
            query->tests = 0;
            share_of_amount(p);
        } else if (counts && only && query->keys == 1 && is_of_values(p, only)) {
            parser_add_key(p, only->of); /* "proportion of men and women by site" */
            query->tests = 0;
            share_of_amount(p);
        } else if (counts && query->tests && !query->keys && !query->share) {
            query->amounts = 0;
            make_rate(p, base_tests(p));
        } else if (counts && query->tests && query->keys && !parse_share_is_of_key(p) &&
                   !parse_share_is_of_all(p) && query->tests > base_tests(p)) {
            query->amounts = 0;
            make_rate(p, base_tests(p));
        } else {
            share_of_amount(p);
        }
    }
    compare_rates(p);
    p->has_subject |= p->wants_share && query->amounts;
    bool has_rate = query->share != SHARE_NONE;
    for (unsigned i = 0; i < query->amounts; i++)
        has_rate |= query->amount[i].reduce == REDUCE_RATE;
    for (int i = 0; has_rate && i < p->count; i++)
        if (token_is(p, i, TERM_PERCENT_UNIT))
            token_use(p, i, i);
    if (p->wants_compare && query->keys && !query->is_compared)
        query->is_compared = query->keys == 1;
}

/* "by channel within each region" */
static bool
is_within(const struct parser *p, const struct value *key)
{
    for (int i = 1; i < p->count; i++)
        if (token_kind(p, i - 1, TOKEN_TERM) && token_kind(p, i, TOKEN_VALUE) &&
            strcmp(p->token[i - 1].text, "within") == 0 &&
            query_value_is_same(p->token[i].value, key))
            return true;
    return false;
}

/* Whether the first of two keys is what has the shares, and the second the whole. */
static bool
is_whole_last(const struct parser *p)
{
    const struct query *query = p->query;
    const bool is_time = query_value_is_time(p->frame, query->key[1]);
    int at = p->share_at + 1;

    if (is_within(p, query->key[1]))
        return true; /* "percentage of each format within each branch" */
    if (token_kind(p, p->share_at - 1, TOKEN_VALUE) &&
        query_value_is_same(query->key[0], p->token[p->share_at - 1].value))
        return true; /* "genre share per branch" */
    if (is_time && !query_value_is_time(p->frame, query->key[0]))
        return true; /* "share of loans by format per year" */
    while (p->share_at >= 0 && (token_is(p, at, TERM_OF) || token_is(p, at, TERM_EACH)))
        at++;
    return p->share_at >= 0 && token_kind(p, at, TOKEN_VALUE) && !is_time &&
           query_value_is_same(query->key[0], p->token[at].value);
}

static void
put_shared_last(struct parser *p)
{
    const struct value **key = p->query->key, *what = key[0];

    if (p->query->keys != 2 || !is_whole_last(p))
        return;
    key[0] = key[1];
    key[1] = what;
}

static void
share_of_amount(struct parser *p)
{
    struct query *query = p->query;

    if (!query->amounts)
        parser_add_amount(p, REDUCE_COUNT, NULL);
    if (query->amount[0].reduce == REDUCE_RATE)
        return;
    if (query->amount[0].of && query->amount[0].reduce == REDUCE_MEAN) {
        if (!query->amount[0].is_implied) /* "average tip percentage": of what? */
            parser_refuse(p, "refuse.share", "");
        query->amount[0].reduce = REDUCE_SUM;
    }
    if (query->tests && (!query->keys || parse_share_asks_part(p))) {
        const unsigned base = parse_share_base_of_amount(p);

        query->parts = query->tests - base;
        memcpy(query->part, &query->test[base], query->parts * sizeof(*query->part));
        query->tests = base;
        query->share = SHARE_PART;
    } else if (query->keys > 1) {
        put_shared_last(p);
        query->share = SHARE_WITHIN;
    } else if (query->keys) {
        query->share = SHARE_TOTAL;
    } else {
        parser_refuse(p, "refuse.share", "");
    }
    if (query->amounts > 1)
        parser_refuse(p, "refuse.share", "");
}
