/* What parsers hand on: tests, keys, amounts, notes, a refusal. */
#include "bridge/planner/tokens/parser.h"

struct test *
parser_add_test(struct parser *p, const struct value *of, enum plan_operator op)
{
    struct query *query = p->query;

    if (query->tests == TESTS_MAX) {
        parser_refuse(p, "refuse.tests", "");
        return &query->test[TESTS_MAX - 1];
    }
    p->test_at[query->tests] = p->at < p->count ? p->at : p->count - 1;
    struct test *test = &query->test[query->tests++];
    *test = (struct test){.of = of, .op = op};
    return test;
}

void
parser_add_operand(struct test *test, struct operand operand)
{
    if (test->operands < OPERANDS_MAX)
        test->operand[test->operands++] = operand;
}

/* Times of the day are told apart by their hours. */
static const struct value *
hours_of(struct parser *p, const struct value *value)
{
    const struct column *column = value_column(p, value);

    if (!column || !column->is_clock)
        return value;
    parser_note(p, "assume.grain", column->name, query_part_name(PART_HOUR));
    return value_of_part(p, value, PART_HOUR);
}

bool
parser_add_key(struct parser *p, const struct value *value)
{
    struct query *query = p->query;

    value = hours_of(p, value);
    for (unsigned i = 0; i < query->keys; i++)
        if (query_value_is_same(query->key[i], value))
            return true;
    if (query->keys == KEYS_MAX) {
        parser_refuse(p, "refuse.keys", "");
        return false;
    }
    query->key[query->keys++] = value;
    return true;
}

struct amount *
parser_add_amount(struct parser *p, enum query_aggregate reduce, const struct value *of)
{
    struct query *query = p->query;

    for (unsigned i = 0; i < query->amounts; i++)
        if (query->amount[i].reduce == reduce &&
            query_value_is_same(query->amount[i].of, of))
            return &query->amount[i];
    if (query->amounts == AMOUNTS_MAX) {
        parser_refuse(p, "refuse.amounts", "");
        return &query->amount[AMOUNTS_MAX - 1];
    }
    query->amount[query->amounts] = (struct amount){.reduce = reduce, .of = of};
    return &query->amount[query->amounts++];
}

void
parser_note(struct parser *p, const char *key, const char *a, const char *b)
{
    for (unsigned i = 0; i < p->notes; i++)
        if (strcmp(p->note[i].key, key) == 0 &&
            strcmp(p->note[i].arg[0], a ? a : "") == 0 &&
            strcmp(p->note[i].arg[1], b ? b : "") == 0)
            return;
    if (p->notes < PARSER_NOTES_MAX)
        p->note[p->notes++] = (struct parser_note){
            key, {a ? a : "", b ? b : ""}
        };
}

void
parser_unnote(struct parser *p, const char *text)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < p->notes; i++)
        if (strcmp(p->note[i].key, "assume.column") != 0 || !p->note[i].arg[0] ||
            strcmp(p->note[i].arg[0], text) != 0)
            p->note[kept++] = p->note[i];
    p->notes = kept;
}

void
parser_unnote_aggregate(struct parser *p)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < p->notes; i++)
        if (strcmp(p->note[i].key, "assume.sum") != 0 &&
            strcmp(p->note[i].key, "assume.mean") != 0)
            p->note[kept++] = p->note[i];
    p->notes = kept;
}

bool
parser_asks_whether(const struct parser *p)
{
    return p->reading->words.count &&
           lexicon_lists(p->lexicon, "word.asks", p->reading->words.at[0].text);
}

void
parser_refuse(struct parser *p, const char *key, const char *about)
{
    if (p->refusal)
        return;
    p->refusal = key;
    p->about = about;
}

enum query_part
parser_part(enum term term)
{
    static const enum query_part parts[TERM_TOTAL] = {
        [TERM_YEAR] = PART_YEAR,
        [TERM_QUARTER] = PART_QUARTER,
        [TERM_MONTH] = PART_MONTH,
        [TERM_WEEK] = PART_WEEK,
        [TERM_DAY] = PART_DAY,
        [TERM_HOUR] = PART_HOUR,
        [TERM_WEEKDAY] = PART_WEEKDAY,
        [TERM_WEEKEND] = PART_WEEKEND,
        [TERM_MONTH_OF_YEAR] = PART_MONTH_NAME,
        [TERM_SEASON] = PART_SEASON,
    };

    return parts[term];
}
