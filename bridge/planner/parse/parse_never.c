/* having: groups without a single row of a kind, "never", "which has no". */
#include "bridge/planner/tokens/parser.h"

static bool
is_denial(const struct test *test)
{
    return test->is_not || test->op == OP_NE || test->op == OP_NOT_IN ||
           test->op == OP_NULL;
}

/* What it denies. */
static enum plan_operator
positive(const struct test *test)
{
    return test->is_not            ? test->op
           : test->op == OP_NE     ? OP_EQ
           : test->op == OP_NOT_IN ? OP_IN
                                   : OP_NOT_NULL;
}

/* "sites that have never been cleaned", "which museum has no café revenue": groups
 * without a single row of that kind, where a group has several rows. */
void
parse_never(struct parser *p)
{
    struct query *query = p->query;
    struct test *test = &query->test[0];
    const struct column *key = query->keys ? value_column(p, query->key[0]) : NULL;
    const bool is_null = test->op == OP_NULL && p->wants_which;
    const bool counts_keys = !query->keys && query->amounts == 1 &&
                             query->amount[0].reduce == REDUCE_DISTINCT;
    bool is_never = false, counts_rows = false;

    if (counts_keys)
        key = value_column(p, query->amount[0].of);
    for (int i = 0; i < p->count; i++) {
        is_never |= token_is(p, i, TERM_NOT) &&
                    lexicon_lists(p->lexicon, "word.never", token_text(p, i));
        counts_rows |= token_is(p, i, TERM_HOW_MANY) || token_is(p, i, TERM_COUNT);
    }
    if (!(query->keys == 1 || counts_keys) || query->tests != 1 || query->amounts > 1 ||
        query->having.is_there || !key || key->is_unique || query->rank.is_there ||
        !((is_never && is_denial(test)) || is_null) ||
        (query->amounts && !counts_keys && (query->amount[0].of || counts_rows)))
        return;
    struct test *some = arena_alloc(p->arena, 1, sizeof(*some));
    *some = *test;
    some->is_not = false;
    some->op = positive(test);
    query->tests = 0;
    if (counts_keys) {
        query->having.of = query->amount[0].of;
    } else {
        query->is_table_asked = true;
        if (!query->amounts)
            parser_add_amount(p, REDUCE_COUNT, NULL);
    }
    query->having.is_there = true;
    query->having.amount = (struct amount){
        .reduce = REDUCE_RATE, .of = some->of, .test = some, .tests = 1};
    query->having.op = OP_EQ;
    query->having.number = 0;
    if (is_null)
        parser_note(p, "assume.never", key->name, value_column(p, some->of)->name);
}
