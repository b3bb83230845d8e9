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

/* A sentence of the table's language. */
static const char *
say(struct arena *arena, const struct frame *frame, const char *key, const char *a,
    const char *b, const char *c)
{
    const char *args[] = {a, b, c};

    return lexicon_say(frame->lexicon, arena, key, args, COUNT_OF(args));
}

static const char *
say_part(struct arena *arena, const struct frame *frame, const char *kind,
         enum query_part part)
{
    return say(arena, frame, arena_printf(arena, "%s.%s", kind, parts[part]), "", "",
               "");
}

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

/* "handle_time" is "handle time in minutes" where it is spoken of. */
static const char *
column_name(struct arena *arena, const struct frame *frame, const struct column *column)
{
    if (!frame->is_spoken)
        return column->name;
    const char *words = query_words(arena, column->name);
    return column->span ? say(arena, frame, "name.counted", words,
                              say(arena, frame, column->span->said, "", "", ""), "")
                        : words;
}

static const char *
level_name(struct arena *arena, const struct frame *frame, const struct value *value)
{
    const char *name = say(arena, frame,
                           value->count == LEVEL_MEDIAN  ? "amount.median"
                           : value->count == LEVEL_FIRST ? "amount.min"
                                                         : "amount.mean",
                           query_value_name(arena, frame, value->left), "", "");

    return value->right ? say(arena, frame, "name.own", name,
                              query_value_name(arena, frame, value->right), "")
                        : name;
}

static const char *tests_name(struct arena *arena, const struct frame *frame,
                              const struct test *test, unsigned tests);

const char *
query_value_name(struct arena *arena, const struct frame *frame,
                 const struct value *value)
{
    if (value->name)
        return value->name;
    switch (value->kind) {
    case VALUE_COLUMN:
        return column_name(arena, frame, &frame->column[value->column]);
    case VALUE_NUMBER:
        return arena_printf(arena, "%.12g", value->number);
    case VALUE_ARITHMETIC:
        if (value->is_distance)
            return arena_printf(arena, "|%s - %s|",
                                query_value_name(arena, frame, value->left),
                                query_value_name(arena, frame, value->right));
        return arena_printf(
            arena, value->right->kind == VALUE_ARITHMETIC ? "%s %c (%s)" : "%s %c %s",
            query_value_name(arena, frame, value->left), value->op,
            query_value_name(arena, frame, value->right));
    case VALUE_DURATION:
        return say(arena, frame, "name.span",
                   say_part(arena, frame, "grains", value->part),
                   query_value_name(arena, frame, value->left),
                   query_value_name(arena, frame, value->right));
    case VALUE_GAP:
        if (!value->right)
            return say(arena, frame, "name.gap.all",
                       say_part(arena, frame, "grains", value->part),
                       query_value_name(arena, frame, value->left), "");
        return say(arena, frame, "name.gap",
                   say_part(arena, frame, "grains", value->part),
                   query_value_name(arena, frame, value->left),
                   query_value_name(arena, frame, value->right));
    case VALUE_PART:
        return say_part(arena, frame, "grain", value->part);
    case VALUE_BAND:
        if (value->bands) /* their labels say what they are */
            return query_value_name(arena, frame, value->left);
        return say(arena, frame, "name.band",
                   query_value_name(arena, frame, value->left), "", "");
    case VALUE_QUANTILE:
        return say(arena, frame, "name.quantile",
                   query_value_name(arena, frame, value->left), "", "");
    case VALUE_TEST:
        return tests_name(arena, frame, value->test, value->tests);
    case VALUE_LEVEL:
        return level_name(arena, frame, value);
    }
    return "";
}

static const char *
operand_name(struct arena *arena, const struct operand *operand)
{
    return operand->is_number ? arena_printf(arena, "%.12g", operand->number)
                              : operand->text;
}

static bool
is_of_date(const struct frame *frame, const struct value *value)
{
    return value->kind == VALUE_COLUMN &&
           frame->column[value->column].kind == COLUMN_DATE;
}

static const char *
operator_key(const struct frame *frame, const struct test *test)
{
    static const char *const keys[] = {
        [OP_EQ] = "test.is",
        [OP_NE] = "test.not",
        [OP_IN] = "test.is",
        [OP_NOT_IN] = "test.not",
        [OP_GT] = "test.over",
        [OP_GE] = "test.from",
        [OP_LT] = "test.under",
        [OP_LE] = "test.upto",
        [OP_BETWEEN] = "test.between",
        [OP_CONTAINS] = "test.with",
        [OP_NOT_CONTAINS] = "test.without",
        [OP_STARTS] = "test.starts",
        [OP_ENDS] = "test.ends",
    };

    if ((test->op == OP_LT || test->op == OP_GT) && is_of_date(frame, test->of))
        return test->op == OP_LT ? "test.before" : "test.after";
    return test->op < COUNT_OF(keys) && keys[test->op] ? keys[test->op] : "test.is";
}

const char *
query_test_name(struct arena *arena, const struct frame *frame, const struct test *test)
{
    const char *name = query_value_name(arena, frame, test->of), *list = "";

    if (test->last && test->of->kind == VALUE_PART)
        return test->last > 1 ? say(arena, frame, "test.lasts",
                                    arena_printf(arena, "%d", test->last),
                                    say_part(arena, frame, "grains", test->unit), "")
                              : say(arena, frame, "test.this", name, "", "");
    if (test->last)
        return say(arena, frame, test->last < 0 ? "test.firsts" : "test.lasts",
                   arena_printf(arena, "%d", test->last < 0 ? -test->last : test->last),
                   say_part(arena, frame, "grains", test->unit), "");
    if (test->op == OP_NULL || test->op == OP_NOT_NULL)
        return say(arena, frame, test->op == OP_NULL ? "test.null" : "test.known", name,
                   "", "");
    if (test->than && test->of->kind == VALUE_PART && test->than->kind == VALUE_PART)
        return arena_printf(arena, "%s %s %s (%s)",
                            query_value_name(arena, frame, test->of->left),
                            plan_operator_name(test->op),
                            query_value_name(arena, frame, test->than->left), name);
    if (test->than)
        return arena_printf(arena, "%s %s %s", name, plan_operator_name(test->op),
                            query_value_name(arena, frame, test->than));
    const char *both =
        arena_printf(arena, " %s ", say(arena, frame, "title.and", "", "", ""));
    for (unsigned i = 0; i < test->operands; i++)
        list = arena_printf(arena, "%s%s%s", list,
                            i == 0                   ? ""
                            : test->op == OP_BETWEEN ? both
                                                     : ", ",
                            operand_name(arena, &test->operand[i]));
    if (test->operands == 0) /* a column of yes and no */
        return test->is_not ? say(arena, frame, "test.not", name, "", "") : name;
    list = say(arena, frame, operator_key(frame, test), list, "", "");
    if (test->is_not)
        list = say(arena, frame, "test.not", list, "", "");
    return arena_printf(arena, "%s %s", name, list);
}

static const char *
tests_name(struct arena *arena, const struct frame *frame, const struct test *test,
           unsigned tests)
{
    const char *text = "";
    const char *either =
        arena_printf(arena, " %s ", say(arena, frame, "title.or", "", "", ""));

    for (unsigned i = 0; i < tests; i++)
        text = arena_printf(arena, "%s%s%s", text,
                            i == 0          ? ""
                            : test[i].is_or ? either
                                            : ", ",
                            query_test_name(arena, frame, &test[i]));
    return text;
}

static const char *
reduced_name(struct arena *arena, const struct frame *frame,
             const struct amount *amount, const char *name)
{
    static const char *const keys[REDUCE_TOTAL] = {
        [REDUCE_NONE] = "amount.none",   [REDUCE_SUM] = "amount.sum",
        [REDUCE_MEAN] = "amount.mean",   [REDUCE_MEDIAN] = "amount.median",
        [REDUCE_MIN] = "amount.min",     [REDUCE_MAX] = "amount.max",
        [REDUCE_STD] = "amount.std",     [REDUCE_DISTINCT] = "amount.distinct",
        [REDUCE_RANGE] = "amount.range", [REDUCE_FIRST] = "amount.first",
        [REDUCE_LAST] = "amount.last",
    };

    if (amount->reduce == REDUCE_QUANTILE)
        return say(arena, frame, "amount.quantile",
                   arena_printf(arena, "%g", 100 * amount->quantile), name, "");
    if (amount->reduce == REDUCE_RATE)
        return say(arena, frame, "amount.rate",
                   tests_name(arena, frame, amount->test, amount->tests), "", "");
    if (amount->reduce == REDUCE_CORRELATION)
        return say(arena, frame, "amount.correlation", name,
                   query_value_name(arena, frame, amount->with), "");
    return say(arena, frame, keys[amount->reduce], name, "", "");
}

/* A sum of `total_gbp` is a total, and not a total of totals. */
static bool
is_called_total(const struct frame *frame, const struct amount *amount)
{
    const struct words *words = amount->of && amount->of->kind == VALUE_COLUMN
                                    ? &frame->column[amount->of->column].words
                                    : NULL;

    return words && words->count && amount->reduce == REDUCE_SUM &&
           lexicon_lists(frame->lexicon, "word.totals", words->at[0].text);
}

static const char *
plain_amount(struct arena *arena, const struct frame *frame,
             const struct amount *amount)
{
    const char *name = amount->of ? query_value_name(arena, frame, amount->of)
                                  : say(arena, frame, "code.rows", "", "", "");

    if (amount->reduce == REDUCE_COUNT)
        return amount->of ? say(arena, frame, "amount.count", name, "", "")
                          : say(arena, frame, "name.count", "", "", "");
    if (is_called_total(frame, amount))
        return name;
    return reduced_name(arena, frame, amount, name);
}

bool
query_adds_up_each(const struct amount *amount)
{
    return amount->each && amount->of && amount->reduce != REDUCE_COUNT &&
           amount->reduce != REDUCE_DISTINCT && amount->reduce != REDUCE_SUM;
}

/* "median revenue per day", "mean number of rows per month" */
static const char *
name_of_each(struct arena *arena, const struct frame *frame,
             const struct amount *amount, const char *name)
{
    const struct amount mean = {.reduce = REDUCE_MEAN};
    const bool adds = query_adds_up_each(amount);

    if (adds)
        name = query_value_name(arena, frame, amount->of);
    name = say(arena, frame, "name.each", name,
               query_value_name(arena, frame, amount->each), "");
    return reduced_name(arena, frame, adds ? amount : &mean, name);
}

const char *
query_amount_name(struct arena *arena, const struct query *query,
                  const struct amount *amount)
{
    const char *name = plain_amount(arena, query->frame, amount);

    if (amount->per) {
        const char *per = amount->per->of
                              ? query_value_name(arena, query->frame, amount->per->of)
                              : say(arena, query->frame, "name.row", "", "", "");

        if (amount->weighted)
            return say(arena, query->frame, "name.weighted",
                       query_value_name(arena, query->frame, amount->weighted), per,
                       "");
        if (amount->per_count > 0 && !amount->is_percent)
            per = arena_printf(arena, "%.12g %s", amount->per_count, per);
        name = say(arena, query->frame,
                   amount->is_percent ? "name.percent" : "name.ratio", name, per, "");
    }
    return amount->each ? name_of_each(arena, query->frame, amount, name) : name;
}

/* "share of total revenue", "cumulative number of rows" */
static const char *
subject(struct arena *arena, const struct query *query)
{
    static const char *const keys[ALONG_TOTAL] = {
        [ALONG_NONE] = "along.none",
        [ALONG_CUMULATIVE] = "along.cumulative",
        [ALONG_CHANGE] = "along.change",
        [ALONG_PERCENT] = "along.percent",
        [ALONG_ROLLING] = "along.rolling",
        [ALONG_ROLLING_SUM] = "along.rollingsum",
        [ALONG_YEAR_BEFORE] = "along.yearbefore",
    };
    const char *text = "";

    for (unsigned i = 0; i < query->amounts; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "",
                            query_amount_name(arena, query, &query->amount[i]));
    if (query->share)
        text = say(arena, query->frame, "title.percent", text, "", "");
    if (query->share == SHARE_PART || (query->share == SHARE_GROUPS && query->parts))
        text = say(arena, query->frame, "title.part", text,
                   tests_name(arena, query->frame, query->part, query->parts), "");
    if (query->share == SHARE_TOP)
        text = say(arena, query->frame, "title.largest", text,
                   arena_printf(arena, "%.12g%s", query->top.count,
                                query->top.is_percent ? " %" : ""),
                   query->top.of ? query_value_name(arena, query->frame, query->top.of)
                                 : say(arena, query->frame, "code.rows", "", "", ""));
    const enum query_along along = query->move == MOVE_NONE || query->keys < 2
                                       ? query->along
                                   : query->is_relative ? ALONG_PERCENT
                                                        : ALONG_CHANGE;
    return say(arena, query->frame, keys[along], text, "", "");
}

/* "number of rows >= 10", "never cancelled" */
static const char *
having_name(struct arena *arena, const struct query *query)
{
    const struct frame *frame = query->frame;
    const struct amount *amount = &query->having.amount;
    const char *bound = query->having.is_overall
                            ? say(arena, frame, "test.overall", "", "", "")
                            : arena_printf(arena, "%.12g", query->having.number);

    if (amount->reduce == REDUCE_RATE && query->having.op == OP_EQ &&
        amount->tests == 1)
        return say(arena, frame, "test.never",
                   query_test_name(arena, frame, amount->test), "", "");
    if (query->having.op == OP_BETWEEN)
        return arena_printf(arena, "%s %s-%.12g",
                            query_amount_name(arena, query, amount), bound,
                            query->having.to);
    return arena_printf(arena, "%s %s %s", query_amount_name(arena, query, amount),
                        plan_operator_name(query->having.op), bound);
}

char *
query_title(struct arena *arena, const struct query *query)
{
    const struct frame *frame = query->frame;
    const char *text = subject(arena, query);

    if (query->shape == SHAPE_ROWS)
        text = say(arena, frame, "title.rows", frame->name, "", "");
    if (query->shape == SHAPE_OUTLIERS)
        text = say(arena, frame, "title.outliers",
                   query_value_name(arena, frame, query->amount[0].of), "", "");
    for (unsigned i = 0; i < query->keys; i++)
        text = arena_printf(arena, "%s %s %s", text,
                            say(arena, frame, i ? "title.and" : "title.by", "", "", ""),
                            query_value_name(arena, frame, query->key[i]));
    if (query->rank.is_there && query->rank.count)
        text = arena_printf(arena, "%s, %s %d%s", text,
                            say(arena, frame,
                                query->rank.is_nth   ? "title.place"
                                : query->rank.is_low ? "title.bottom"
                                                     : "title.top",
                                "", "", ""),
                            query->rank.count, query->rank.is_percent ? " %" : "");
    if (query->tests)
        text = arena_printf(arena, "%s (%s)", text,
                            tests_name(arena, frame, query->test, query->tests));
    if (query->shape == SHAPE_ROWS && query->rank.by) {
        const bool is_down =
            query->rank.is_there ? !query->rank.is_low : query->sorts_down;

        text = say(arena, frame, is_down ? "title.falling" : "title.rising", text,
                   query_value_name(arena, frame, query->rank.by), "");
    }
    if (query->having.is_there)
        text = arena_printf(arena, "%s (%s)", text, having_name(arena, query));
    return arena_text(arena, text, strlen(text));
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
    return a->part == b->part && a->op == b->op && a->is_distance == b->is_distance &&
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
