/* What the parts of a query are called, in titles, columns and sentences. */
#include "bridge/planner/query/query.h"

static const char *const parts[] = {
#define X(name, text) text,
    QUERY_PARTS(X)
#undef X
};

static const char *const reduces[REDUCE_TOTAL] = {
    [REDUCE_NONE] = "none",     [REDUCE_COUNT] = "count",
    [REDUCE_SUM] = "sum",       [REDUCE_MEAN] = "mean",
    [REDUCE_MEDIAN] = "median", [REDUCE_QUANTILE] = "quantile",
    [REDUCE_MIN] = "min",       [REDUCE_MAX] = "max",
    [REDUCE_STD] = "std",       [REDUCE_DISTINCT] = "distinct",
    [REDUCE_RATE] = "rate",     [REDUCE_CORRELATION] = "correlation",
    [REDUCE_RANGE] = "range",   [REDUCE_FIRST] = "first",
    [REDUCE_LAST] = "last",
};

const char *
query_part_name(enum query_part part)
{
    return parts[part];
}

const char *
query_reduce_name(enum query_aggregate reduce)
{
    return reduces[reduce];
}

const char *
query_value_name(struct arena *arena, const struct frame *frame,
                 const struct value *value)
{
    if (value->name)
        return value->name;
    switch (value->kind) {
    case VALUE_COLUMN:
        return frame->is_spoken ? query_words(arena, frame->column[value->column].name)
                                : frame->column[value->column].name;
    case VALUE_NUMBER:
        return arena_printf(arena, "%g", value->number);
    case VALUE_ARITHMETIC:
        return arena_printf(
            arena, value->right->kind == VALUE_ARITHMETIC ? "%s %c (%s)" : "%s %c %s",
            query_value_name(arena, frame, value->left), value->op,
            query_value_name(arena, frame, value->right));
    case VALUE_DURATION:
        return arena_printf(arena, "%ss from %s to %s", parts[value->part],
                            query_value_name(arena, frame, value->left),
                            query_value_name(arena, frame, value->right));
    case VALUE_PART:
        return parts[value->part];
    case VALUE_BAND:
        return arena_printf(arena, "%s band",
                            query_value_name(arena, frame, value->left));
    case VALUE_QUANTILE:
        return arena_printf(arena, "%s quantile",
                            query_value_name(arena, frame, value->left));
    case VALUE_TEST:
        return query_test_name(arena, frame, value->test);
    }
    return "";
}

static const char *
operand_name(struct arena *arena, const struct operand *operand)
{
    return operand->is_number ? arena_printf(arena, "%g", operand->number)
                              : operand->text;
}

static const char *
operator_word(const struct test *test)
{
    static const char *const words[] = {
        [OP_EQ] = "",
        [OP_NE] = "not ",
        [OP_IN] = "",
        [OP_NOT_IN] = "not ",
        [OP_GT] = "over ",
        [OP_GE] = "from ",
        [OP_LT] = "under ",
        [OP_LE] = "up to ",
        [OP_BETWEEN] = "between ",
        [OP_CONTAINS] = "with ",
        [OP_NOT_CONTAINS] = "without ",
        [OP_STARTS] = "starting with ",
        [OP_ENDS] = "ending with ",
    };

    return test->op < COUNT_OF(words) && words[test->op] ? words[test->op] : "";
}

const char *
query_test_name(struct arena *arena, const struct frame *frame, const struct test *test)
{
    const char *name = query_value_name(arena, frame, test->of), *list = "";

    if (test->last)
        return arena_printf(arena, "%s %d %ss", test->last < 0 ? "first" : "last",
                            test->last < 0 ? -test->last : test->last,
                            parts[test->unit]);
    if (test->op == OP_NULL || test->op == OP_NOT_NULL)
        return arena_printf(arena, "%s %s", test->op == OP_NULL ? "no" : "known", name);
    if (test->than)
        return arena_printf(arena, "%s %s %s", name, plan_operator_name(test->op),
                            query_value_name(arena, frame, test->than));
    for (unsigned i = 0; i < test->operands; i++)
        list = arena_printf(arena, "%s%s%s", list,
                            i == 0                   ? ""
                            : test->op == OP_BETWEEN ? " and "
                                                     : ", ",
                            operand_name(arena, &test->operand[i]));
    return arena_printf(arena, "%s %s%s%s", name, test->is_not ? "not " : "",
                        operator_word(test), list);
}

static const char *
tests_name(struct arena *arena, const struct frame *frame, const struct test *test,
           unsigned tests)
{
    const char *text = "";

    for (unsigned i = 0; i < tests; i++)
        text = arena_printf(arena, "%s%s%s", text,
                            i == 0          ? ""
                            : test[i].is_or ? " or "
                                            : ", ",
                            query_test_name(arena, frame, &test[i]));
    return text;
}

static const char *
plain_amount(struct arena *arena, const struct frame *frame,
             const struct amount *amount)
{
    static const char *const words[REDUCE_TOTAL] = {
        [REDUCE_NONE] = "",
        [REDUCE_SUM] = "total ",
        [REDUCE_MEAN] = "mean ",
        [REDUCE_MEDIAN] = "median ",
        [REDUCE_MIN] = "lowest ",
        [REDUCE_MAX] = "highest ",
        [REDUCE_STD] = "standard deviation of ",
        [REDUCE_DISTINCT] = "different values of ",
        [REDUCE_RANGE] = "range of ",
        [REDUCE_FIRST] = "first ",
        [REDUCE_LAST] = "last ",
    };
    const char *name = amount->of ? query_value_name(arena, frame, amount->of) : "rows";

    if (amount->reduce == REDUCE_COUNT)
        return amount->of ? arena_printf(arena, "number of %s", name)
                          : "number of rows";
    if (amount->reduce == REDUCE_QUANTILE)
        return arena_printf(arena, "%gth percentile of %s", 100 * amount->quantile,
                            name);
    if (amount->reduce == REDUCE_RATE)
        return arena_printf(arena, "percent with %s",
                            tests_name(arena, frame, amount->test, amount->tests));
    if (amount->reduce == REDUCE_CORRELATION)
        return arena_printf(arena, "correlation of %s and %s", name,
                            query_value_name(arena, frame, amount->with));
    return arena_printf(arena, "%s%s", words[amount->reduce], name);
}

const char *
query_amount_name(struct arena *arena, const struct query *query,
                  const struct amount *amount)
{
    const char *name = plain_amount(arena, query->frame, amount);

    if (amount->per)
        name = arena_printf(arena, "%s per %s", name,
                            amount->per->of
                                ? query_value_name(arena, query->frame, amount->per->of)
                                : "row");
    if (amount->each)
        name = arena_printf(arena, "mean %s per %s", name,
                            query_value_name(arena, query->frame, amount->each));
    return name;
}

/* "share of total revenue", "cumulative number of rows" */
static const char *
subject(struct arena *arena, const struct query *query)
{
    static const char *const alongs[ALONG_TOTAL] = {
        [ALONG_NONE] = "%s",
        [ALONG_CUMULATIVE] = "cumulative %s",
        [ALONG_CHANGE] = "change in %s",
        [ALONG_PERCENT] = "change in %s, in percent",
        [ALONG_ROLLING] = "rolling mean of %s",
        [ALONG_YEAR_BEFORE] = "%s against a year before, in percent",
    };
    const char *text = "";

    for (unsigned i = 0; i < query->amounts; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "",
                            query_amount_name(arena, query, &query->amount[i]));
    if (query->share)
        text = arena_printf(arena, "percent of %s", text);
    const char *at = strstr(alongs[query->along], "%s");
    return arena_printf(arena, "%.*s%s%s", (int)(at - alongs[query->along]),
                        alongs[query->along], text, at + 2);
}

char *
query_title(struct arena *arena, const struct query *query)
{
    char *text = arena_printf(arena, "%s", subject(arena, query));

    if (query->shape == SHAPE_ROWS || query->shape == SHAPE_OUTLIERS)
        text = arena_printf(arena, "%s of %s",
                            query->shape == SHAPE_ROWS ? "rows" : "outliers",
                            query->frame->name);
    for (unsigned i = 0; i < query->keys; i++)
        text = arena_printf(arena, "%s %s %s", text, i ? "and" : "by",
                            query_value_name(arena, query->frame, query->key[i]));
    if (query->rank.is_there && query->rank.count)
        text = arena_printf(arena, "%s, %s %d", text,
                            query->rank.is_low ? "bottom" : "top", query->rank.count);
    if (query->tests)
        text = arena_printf(arena, "%s (%s)", text,
                            tests_name(arena, query->frame, query->test, query->tests));
    return text;
}

bool
query_value_is_same(const struct value *a, const struct value *b)
{
    if (!a || !b || a->kind != b->kind)
        return a == b;
    if (a->kind == VALUE_COLUMN)
        return a->column == b->column;
    if (a->kind == VALUE_NUMBER)
        return !(a->number < b->number) && !(a->number > b->number);
    return a->part == b->part && a->op == b->op &&
           query_value_is_same(a->left, b->left) &&
           (!a->right || query_value_is_same(a->right, b->right)) && a->test == b->test;
}

bool
query_value_is_time(const struct frame *frame, const struct value *value)
{
    if (value->kind == VALUE_COLUMN)
        return frame->column[value->column].role == ROLE_TIME;
    return value->kind == VALUE_PART && value->part >= PART_YEAR &&
           value->part <= PART_DAY;
}

bool
query_has_same_groups(const struct query *a, const struct query *b)
{
    if (a->keys != b->keys || a->amounts != b->amounts || a->tests != b->tests ||
        a->rank.count != b->rank.count || !a->amount[0].per != !b->amount[0].per)
        return false;
    for (unsigned i = 0; i < a->keys; i++)
        if (!query_value_is_same(a->key[i], b->key[i]))
            return false;
    for (unsigned i = 0; i < a->amounts; i++)
        if (a->amount[i].reduce != b->amount[i].reduce ||
            (a->amount[i].reduce != REDUCE_COUNT &&
             !query_value_is_same(a->amount[i].of, b->amount[i].of)))
            return false;
    return true;
}
