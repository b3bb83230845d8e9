/* group, aggregate, having: `result`, a number for each group. */
#include "bridge/planner/program/program.h"

/* Names for keys that are worked out: what the user has of them python_finish() leaves.
 */
static const char *
variable_of(const struct value *key, unsigned at)
{
    static const char *const names[] = {
        [PART_NONE] = "group",
        [PART_YEAR] = "year",
        [PART_QUARTER] = "quarter",
        [PART_MONTH] = "month",
        [PART_WEEK] = "week",
        [PART_DAY] = "day",
        [PART_HOUR] = "hour",
        [PART_WEEKDAY] = "weekday",
        [PART_WEEKEND] = "weekend",
        [PART_MONTH_NAME] = "month",
        [PART_QUARTER_NAME] = "quarter",
        [PART_SEASON] = "season",
    };
    static const char *const others[KEYS_MAX] = {"group", "group_2", "group_3",
                                                 "group_4"};

    return key->kind == VALUE_PART ? names[key->part] : others[at];
}

static const char *
write_key(struct program *p, const struct value *key, unsigned at)
{
    const char *label = program_label(p, key);

    if (label)
        return label;
    const char *variable = variable_of(key, at);
    python_line(&p->python, "%s = (%s).rename(%s)", variable, program_key(p, key),
                program_text(p, query_value_name(p->arena, p->frame, key)));
    return variable;
}

void
program_keys(struct program *p)
{
    for (unsigned i = 0; i < p->query->keys; i++)
        p->key[i] = write_key(p, p->query->key[i], i);
}

/* As an argument of groupby(); `cells`: of another Series than the rows. */
static const char *
grouping(struct program *p, bool cells, const struct value *extra, const char *added)
{
    const struct query *query = p->query;
    unsigned count = query->keys + (extra != NULL);
    const char *list = "", *observed = "";

    for (unsigned i = 0; i < count; i++) {
        const struct value *key = i < query->keys ? query->key[i] : extra;
        const char *text = i < query->keys ? p->key[i] : added;

        if (cells && *text == '"')
            text = program_cells(p, key->column);
        if ((key->kind == VALUE_COLUMN &&
             p->frame->column[key->column].may_be_category) ||
            (key->kind == VALUE_BAND && key->bands) || key->kind == VALUE_QUANTILE)
            observed = ", observed=True";
        list = arena_printf(p->arena, "%s%s%s", list, i ? ", " : "", text);
    }
    return arena_printf(p->arena, count > 1 ? "[%s]%s" : "%s%s", list, observed);
}

static bool
may_have_gaps(const struct program *p, const struct value *value)
{
    if (!value)
        return false;
    if (value->kind == VALUE_COLUMN)
        return p->frame->column[value->column].nulls != 0;
    return may_have_gaps(p, value->left) || may_have_gaps(p, value->right);
}

static const char *
reducer(struct program *p, const struct amount *amount)
{
    static const char *const reducers[REDUCE_TOTAL] = {
        [REDUCE_NONE] = "sum()",         [REDUCE_COUNT] = "count()",
        [REDUCE_SUM] = "sum()",          [REDUCE_MEAN] = "mean()",
        [REDUCE_MEDIAN] = "median()",    [REDUCE_MIN] = "min()",
        [REDUCE_MAX] = "max()",          [REDUCE_STD] = "std()",
        [REDUCE_DISTINCT] = "nunique()", [REDUCE_FIRST] = "first()",
        [REDUCE_LAST] = "last()",        [REDUCE_RATE] = "mean()",
    };

    if (amount->each && amount->reduce == REDUCE_SUM && may_have_gaps(p, amount->of))
        return "sum(min_count=1)";
    if (amount->reduce == REDUCE_QUANTILE)
        return arena_printf(p->arena, "quantile(%s)",
                            python_number(p->arena, amount->quantile));
    return reducers[amount->reduce];
}

static bool
takes_cells(const struct amount *amount)
{
    return amount->reduce == REDUCE_DISTINCT || amount->reduce == REDUCE_COUNT;
}

static const char *
cells_of(struct program *p, const struct amount *amount)
{
    const struct column *column =
        amount->of->kind == VALUE_COLUMN ? &p->frame->column[amount->of->column] : NULL;

    if (column && column->kind == COLUMN_DATE)
        return program_date(p, amount->of);
    if (column && takes_cells(amount))
        return program_key(p, amount->of);
    return program_number(p, amount->of);
}

/* Of a frame's groups where a label says it, else of a Series grouped by cells. */
static const char *
grouped(struct program *p, const struct amount *amount, const struct value *extra,
        const char *added)
{
    const char *label = amount->of ? program_label(p, amount->of) : NULL;

    if (!amount->of)
        return arena_printf(p->arena, "%s.groupby(%s).size()", p->rows,
                            grouping(p, false, extra, added));
    if (label && (takes_cells(amount) || program_is_number(p, amount->of) ||
                  p->frame->column[amount->of->column].is_datetime))
        return arena_printf(p->arena, "%s.groupby(%s)[%s].%s", p->rows,
                            grouping(p, false, extra, added), label,
                            reducer(p, amount));
    return arena_printf(p->arena, "(%s).groupby(%s).%s", cells_of(p, amount),
                        grouping(p, true, extra, added), reducer(p, amount));
}

static const char *
single(struct program *p, const struct amount *amount)
{
    if (!amount->of)
        return arena_printf(p->arena, "len(%s)", p->rows);
    const char *cells = cells_of(p, amount);
    bool is_plain = strpbrk(cells, " ") == NULL || program_label(p, amount->of);
    return arena_printf(p->arena, is_plain ? "%s.%s" : "(%s).%s", cells,
                        reducer(p, amount));
}

/* A column of zeros and ones that is asked for as it is: its mean says it. */
static const char *
zeros_and_ones(struct program *p, const struct amount *amount)
{
    const struct test *test = amount->test;
    const struct column *column =
        test->of->kind == VALUE_COLUMN ? &p->frame->column[test->of->column] : NULL;
    bool is_plain = amount->tests == 1 && test->op == OP_EQ && test->operands == 0 &&
                    !test->is_not && !test->than && !test->last;

    return is_plain && column && column->kind == COLUMN_NUMBER &&
                   column_is_binary(column)
               ? program_number(p, test->of)
               : NULL;
}

static const char *
rate(struct program *p, const struct amount *amount)
{
    const char *flags = zeros_and_ones(p, amount);

    if (flags && !p->query->keys)
        return arena_printf(p->arena, "100 * %s.mean()", flags);
    if (flags)
        return arena_printf(p->arena, "100 * %s.groupby(%s).mean()", flags,
                            grouping(p, true, NULL, NULL));
    const char *mask = program_mask(p, amount->test, amount->tests);

    if (!p->query->keys)
        return arena_printf(p->arena, "100 * (%s).mean()", mask);
    return arena_printf(p->arena, "100 * (%s).groupby(%s).mean()", mask,
                        grouping(p, true, NULL, NULL));
}

static const char *
correlation(struct program *p, const struct amount *amount)
{
    const char *a = program_number(p, amount->of), *b = program_number(p, amount->with);

    if (!p->query->keys)
        return arena_printf(p->arena, "%s.corr(%s)", a, b);
    const char *rows = p->rows;
    p->rows = "part";
    a = program_number(p, amount->of);
    b = program_number(p, amount->with);
    p->rows = rows;
    return arena_printf(p->arena, "%s.groupby(%s).apply(lambda part: %s.corr(%s))",
                        rows, grouping(p, false, NULL, NULL), a, b);
}

/* Over smaller groups: "orders per day" on average, "median daily revenue". A day
 * without any number has no sum, and not one of nought. */
static const char *
of_each(struct program *p, const struct amount *amount)
{
    const char *label = program_label(p, amount->each);
    const char *added = label ? label : program_key(p, amount->each);
    struct amount inner = *amount, outer = {.reduce = REDUCE_MEAN};
    const char *levels = "";

    if (query_adds_up_each(amount)) {
        outer = *amount;
        inner.reduce = REDUCE_SUM;
    }
    const char *text = grouped(p, &inner, amount->each, added);
    if (!p->query->keys)
        return arena_printf(p->arena, "%s.%s", text, reducer(p, &outer));
    for (unsigned i = 0; i < p->query->keys; i++)
        levels = arena_printf(p->arena, "%s%s%u", levels, i ? ", " : "", i);
    return arena_printf(p->arena, "%s.groupby(level=[%s]).%s", text, levels,
                        reducer(p, &outer));
}

/* Whether rows are chosen by what is divided by: all of it may be nought. */
static bool
may_divide_by_none(const struct query *query, const struct amount *per)
{
    for (unsigned i = 0; i < query->tests; i++)
        if (per->of && query_value_is_same(query->test[i].of, per->of))
            return true;
    return false;
}

/* A group whose divisor is nought has no ratio, and is not the highest. */
static const char *
ratio(struct program *p, const struct amount *amount, const char *part)
{
    const char *times = amount->per_count > 0
                            ? arena_printf(p->arena, "%s * ",
                                           python_number(p->arena, amount->per_count))
                            : "",
               *whole = program_reduced(p, amount->per);

    if (p->query->keys)
        return arena_printf(p->arena, "%s%s / %s.replace(0, float(\"nan\"))", times,
                            part, whole);
    return arena_printf(p->arena,
                        may_divide_by_none(p->query, amount->per)
                            ? "%s%s / (%s or float(\"nan\"))"
                            : "%s%s / %s",
                        times, part, whole);
}

const char *
program_reduced(struct program *p, const struct amount *amount)
{
    const char *text;

    if (amount->each)
        return of_each(p, amount);
    if (amount->reduce == REDUCE_RATE)
        return rate(p, amount);
    if (amount->reduce == REDUCE_CORRELATION)
        return correlation(p, amount);
    if (amount->reduce == REDUCE_RANGE) {
        struct amount high = *amount, low = *amount;

        high.reduce = REDUCE_MAX;
        low.reduce = REDUCE_MIN;
        return arena_printf(p->arena, "%s - %s", program_reduced(p, &high),
                            program_reduced(p, &low));
    }
    text = p->query->keys ? grouped(p, amount, NULL, NULL) : single(p, amount);
    return amount->per ? ratio(p, amount, text) : text;
}

/* --- having --- */

const char *
program_bound(struct program *p, const char *cells)
{
    const struct query *query = p->query;

    if (query->having.op == OP_BETWEEN)
        return arena_printf(p->arena, "%s.between(%s, %s)", cells,
                            python_number(p->arena, query->having.number),
                            python_number(p->arena, query->having.to));
    return arena_printf(
        p->arena, "%s %s %s", cells, plan_operator_name(query->having.op),
        query->having.is_overall ? "overall"
                                 : python_number(p->arena, query->having.number));
}

/* What it is of all rows, whatever group they are of. */
static void
write_overall(struct program *p)
{
    const struct query *grouped = p->query;
    struct query whole = *grouped;

    whole.keys = 0;
    p->query = &whole;
    python_line(&p->python, "overall = %s",
                program_reduced(p, &grouped->having.amount));
    p->query = grouped;
}

/* Only the rows of groups that are large enough, when the groups are not the keys. */
static void
keep_rows(struct program *p)
{
    const struct query *query = p->query;
    const char *cells = program_key(p, query->having.of);
    const struct amount *amount = &query->having.amount;

    if (amount->reduce == REDUCE_RATE)
        python_line(&p->python, "sizes = (%s).groupby(%s).transform(\"mean\")",
                    program_mask(p, amount->test, amount->tests), cells);
    else if (!amount->of)
        python_line(&p->python, "sizes = %s.map(%s.value_counts())", cells, cells);
    else if (amount->reduce == REDUCE_DISTINCT)
        python_line(&p->python, "sizes = %s.groupby(%s).transform(\"nunique\")",
                    program_key(p, amount->of), cells);
    else
        python_line(&p->python, "sizes = (%s).groupby(%s).transform(\"%s\")",
                    program_number(p, amount->of), cells,
                    amount->reduce == REDUCE_MEAN ? "mean" : "sum");
    python_line(&p->python, "kept = %s[%s]", p->rows, program_bound(p, "sizes"));
    p->rows = "kept";
}

void
program_having(struct program *p)
{
    const struct query *query = p->query;

    if (!query->having.is_there)
        return;
    if (query->having.of) {
        if (strcmp(p->rows, "kept") != 0)
            keep_rows(p);
        return;
    }
    if (query->having.is_overall)
        write_overall(p);
    bool is_same = query->amounts == 1 &&
                   query->having.amount.reduce == query->amount[0].reduce &&
                   query_value_is_same(query->having.amount.of, query->amount[0].of);
    if (is_same) {
        python_line(&p->python, "result = result[%s]", program_bound(p, "result"));
        return;
    }
    python_line(&p->python, "sizes = %s", program_reduced(p, &query->having.amount));
    python_line(&p->python, "result = result[%s]", program_bound(p, "sizes"));
}

void
program_groups(struct program *p)
{
    const struct query *query = p->query;

    if (query->share == SHARE_PART || query->share == SHARE_GROUPS ||
        query->share == SHARE_TOP) {
        program_shares(p);
        return;
    }
    if (query->amounts == 1) {
        python_line(&p->python, "result = %s", program_reduced(p, &query->amount[0]));
        return;
    }
    python_line(&p->python, "result = pd.DataFrame({");
    for (unsigned i = 0; i < query->amounts; i++)
        python_line(&p->python, "    %s: %s,",
                    program_text(p, program_amount_name(p, i)),
                    program_reduced(p, &query->amount[i]));
    python_line(&p->python, "})");
}
