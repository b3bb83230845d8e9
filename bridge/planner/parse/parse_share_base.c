/* share: of which rows, or of which groups. */
#include "bridge/planner/tokens/parser.h"
#include "bridge/planner/words/likeness.h"

/* "decisions" of `decided_on`. */
static bool
is_act_of(const char *noun, const struct column *date)
{
    for (size_t i = 0; date && i < date->words.count; i++)
        if (likeness_is_event(noun, date->words.at[i].text))
            return true;
    return false;
}

/* "share of ratings that are 4 or 5": of those that there are. */
void
parse_share_keep(struct parser *p, unsigned *from)
{
    struct query *query = p->query;
    const struct test *test = &query->test[*from];
    const struct column *column = value_column(p, test->of);
    int of = p->share_at + 1 + token_is(p, p->share_at + 1, TERM_OF);

    if (test->of->kind == VALUE_DURATION && p->share_at >= 0 && of < p->count) {
        const struct column *end = value_column(p, test->of->right);
        int named = parser_roots_date(p, p->token[of].text);

        /* "share of decisions that took …": of those that were made */
        bool is_named = named == test->of->right->column ||
                        token_column(p, of) == end || is_act_of(p->token[of].text, end);
        if (end && end->nulls > 0 && is_named && query->tests == *from + 1 &&
            query->tests < TESTS_MAX) {
            query->test[query->tests] = *test;
            p->test_at[query->tests++] = p->test_at[*from];
            query->test[*from] =
                (struct test){.of = test->of->right, .op = OP_NOT_NULL};
            (*from)++;
        }
        return;
    }
    if (!column || column->nulls <= 0 || query->tests != *from + 1 || !test->operands)
        return;
    if (p->share_at < 0 || token_column(p, of) != column || query->tests == TESTS_MAX) {
        if (test->op != OP_EQ && test->op != OP_IN)
            parser_note(p, "assume.blanks", column->name, NULL);
        return;
    }
    for (unsigned i = 0; i < *from; i++) /* "of rated tickets": said already */
        if (query->test[i].op == OP_NOT_NULL &&
            query_value_is_same(query->test[i].of, test->of))
            return;
    query->test[query->tests] = *test;
    p->test_at[query->tests++] = p->test_at[*from];
    query->test[*from] = (struct test){.of = test->of, .op = OP_NOT_NULL};
    (*from)++;
}

static bool
has_or(const struct query *query)
{
    for (unsigned i = 0; i < query->tests; i++)
        if (query->test[i].is_or)
            return true;
    return false;
}

/* "share of students who failed": of all of them, those with such a row at least. */
static void
imply_once(struct parser *p)
{
    struct query *query = p->query;
    const int at = p->share_at + 1 + token_is(p, p->share_at + 1, TERM_OF);
    const struct column *column = p->share_at < 0 ? NULL : token_column(p, at);
    bool is_asked = false;

    for (unsigned i = 0; i < query->tests; i++)
        is_asked |= p->test_at[i] > at && !parse_share_is_calendar(p, &query->test[i]);
    if (!column || !(column->flags & FLAG_KEY) || column->is_unique || !is_asked ||
        query->having.is_there || query->along || query->keys != 1 ||
        p->key_is_given[0] || query->amounts > 1 ||
        (query->amounts && query->amount[0].of) || has_or(query) ||
        !query_value_is_same(p->token[at].value, query->key[0]))
        return;
    query->having.is_there = true;
    query->having.amount = (struct amount){.reduce = REDUCE_COUNT};
    query->having.op = OP_GE;
    query->having.number = 1;
    parser_note(p, "assume.distinct", column->name, NULL);
}

/* "who failed at least once": of all, and not of those that failed. */
static void
count_those_that_pass(struct parser *p)
{
    struct query *query = p->query;
    unsigned base = 0;

    if (has_or(query))
        return;
    for (unsigned i = 0; i < query->tests; i++)
        if (parse_share_is_calendar(p, &query->test[i]))
            parse_share_swap(p, base++, i);
    query->parts = query->tests - base;
    memcpy(query->part, &query->test[base], query->parts * sizeof(*query->part));
    query->tests = base;
}

/* "what share of customers ordered more than once": of the customers. */
bool
parse_share_of_groups(struct parser *p)
{
    struct query *query = p->query;

    imply_once(p);
    const struct value *of = query->keys == 1 ? query->key[0] : NULL;
    bool counts = !query->amounts || (query->amounts == 1 && !query->amount[0].of) ||
                  query->amount[0].reduce == REDUCE_DISTINCT;

    if (!query->having.is_there || !counts || query->keys > 1 || query->along ||
        query->having.amount.reduce == REDUCE_RATE)
        return false;
    if (!of && query->amounts && query->amount[0].reduce == REDUCE_DISTINCT)
        of = query->amount[0].of;
    if (!of || p->key_is_given[0])
        return false;
    query->having.of = of;
    query->share = SHARE_GROUPS;
    if (!query->having.amount.of)
        count_those_that_pass(p);
    query->keys = query->amounts = 0;
    parser_add_amount(p, REDUCE_COUNT, NULL);
    query->shape = SHAPE_NUMBER;
    return true;
}

bool
parse_share_is_calendar(const struct parser *p, const struct test *test)
{
    const struct column *column = value_column(p, test->of);

    return test->last || test->of->kind == VALUE_PART || value_is_date(p, test->of) ||
           (column && column->role == ROLE_TIME); /* a column `fiscal_year` */
}

void
parse_share_swap(struct parser *p, unsigned a, unsigned b)
{
    struct test test = p->query->test[a];
    int at = p->test_at[a];

    p->query->test[a] = p->query->test[b];
    p->test_at[a] = p->test_at[b];
    p->query->test[b] = test;
    p->test_at[b] = at;
}

/* Where the number that is shared stands; -1. */
static int
amount_at(const struct parser *p)
{
    const struct value *of = p->query->amounts ? p->query->amount[0].of : NULL;

    for (int i = p->share_at + 1; of && p->share_at >= 0 && i < p->count; i++)
        if (token_kind(p, i, TOKEN_VALUE) && query_value_is_same(p->token[i].value, of))
            return i;
    return -1;
}

/* The verb of "amount in Germany was paid by card", which has tests on both sides; or
 * where the amount stands. */
static int
verb_behind(const struct parser *p, int amount)
{
    bool is_before = false, is_behind = false;
    int verb = amount;

    while (amount >= 0 && verb < p->count && !token_is(p, verb, TERM_IS))
        verb++;
    for (unsigned i = 0; i < p->query->tests; i++) {
        is_before |= p->test_at[i] > amount && p->test_at[i] < verb;
        is_behind |= p->test_at[i] > verb;
    }
    return is_before && is_behind ? verb : amount;
}

/* "of the won amount in 2023": those of `tests` that say of which rows come first. */
unsigned
parse_share_base_of_amount(struct parser *p)
{
    const int verb = verb_behind(p, amount_at(p));
    unsigned base = 0;

    if (has_or(p->query))
        return 0;
    for (unsigned i = 0; i < p->query->tests; i++)
        if (parse_share_is_calendar(p, &p->query->test[i]) ||
            (p->test_at[i] > p->share_at && p->test_at[i] < verb))
            parse_share_swap(p, base++, i);
    return base < p->query->tests ? base : 0;
}

/* "share of each label's streams that come from pop": a part of each group's. */
bool
parse_share_asks_part(const struct parser *p)
{
    const struct query *query = p->query;
    const struct words *words = &p->reading->words;
    const int amount = amount_at(p);

    if (amount < 0 || query->amount[0].reduce != REDUCE_SUM)
        return false;
    bool says_part = false, comes = false;
    for (size_t k = p->token[amount].item->begin; k < words->count; k++)
        comes |= lexicon_lists(p->lexicon, "word.comes", words->at[k].text);
    for (unsigned i = 0; i < query->tests; i++) {
        if (p->test_at[i] <= amount || parse_share_is_calendar(p, &query->test[i]))
            continue;
        says_part |= comes;
        for (size_t k = p->token[amount].item->begin;
             k < p->token[p->test_at[i]].item->begin; k++)
            says_part |= lexicon_lists(p->lexicon, "word.verbs", words->at[k].text);
    }
    return says_part;
}

/* "what share of rentals used a promo code", which few of them have: those that do. */
void
parse_share_known(struct parser *p)
{
    const int rows =
        p->share_at < 0 ? -1 : p->share_at + 1 + token_is(p, p->share_at + 1, TERM_OF);
    const struct column *column = rows < 0 ? NULL : token_column(p, rows + 1);
    struct query *query = p->query;

    if (!column || !token_kind(p, rows, TOKEN_ROWS) || column->kind != COLUMN_TEXT ||
        column->nulls * 2 < p->frame->rows || query->keys != 1 || query->tests ||
        (query->amounts && query->amount[0].of) || p->key_is_given[0] ||
        !query_value_is_same(query->key[0], p->token[rows + 1].value))
        return;
    query->keys = query->amounts = 0;
    p->at = rows + 1; /* where the test stands */
    parser_add_test(p, query->key[0], OP_NOT_NULL);
    parser_note(p, "assume.known", token_text(p, rows + 1), column->name);
}

/* "share of all escalated calls that each agent has": of those calls, and not of each
 * agent's. */
bool
parse_share_is_of_all(const struct parser *p)
{
    const int part = p->query->tests ? p->test_at[0] : -1;
    const size_t word =
        part > p->share_at && p->share_at >= 0 ? p->token[part].item->begin : 0;

    return word > 0 && lexicon_lists(p->lexicon, "word.entire",
                                     p->reading->words.at[word - 1].text);
}

/* "share of brands among finishers": of each brand, and of those rows. */
bool
parse_share_is_of_key(const struct parser *p)
{
    int at = p->share_at < 0 ? -1 : p->share_at + 1;

    at += token_is(p, at, TERM_OF);
    const struct column *column = at > 0 ? token_column(p, at) : NULL;
    return column && p->query->keys == 1 && !value_is_flag(p, p->token[at].value) &&
           query_value_is_same(p->token[at].value, p->query->key[0]);
}

/* "percentage of tests done on women", of `test_name`: of all rows, and not of each. */
void
parse_share_drop_key(struct parser *p)
{
    const int at =
        p->share_at < 0 ? -1 : p->share_at + 1 + token_is(p, p->share_at + 1, TERM_OF);

    if (at > 0 && p->query->tests && parse_share_is_of_key(p) &&
        p->token[at].is_plural && token_column(p, at)->words.count > 1 &&
        (token_is(p, at + 1, TERM_WITH) || token_is(p, at + 1, TERM_WHOSE) ||
         (token_is(p, at + 1, TERM_IN) &&
          lexicon_lists(p->lexicon, "word.upon", p->token[at + 1].text))))
        p->query->keys = 0;
}
