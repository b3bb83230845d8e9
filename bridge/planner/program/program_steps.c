/* along time, share, rank, order: from one `result` to the next. */
#include "bridge/planner/program/program.h"

static int
time_key(const struct program *p)
{
    for (unsigned i = 0; i < p->query->keys; i++)
        if (query_value_is_time(p->frame, p->query->key[i]))
            return (int)i;
    return -1;
}

/* Whether it is 0, and not unknown, of a period without rows. */
static bool
is_nought_when_empty(const struct amount *amount)
{
    return amount->reduce == REDUCE_COUNT || amount->reduce == REDUCE_SUM;
}

/* Of whole windows; of a period without rows there is no mean, and the others have one.
 */
static void
roll(struct program *p, const char *reduce)
{
    const int window = p->query->window;

    if (is_nought_when_empty(&p->query->amount[0]))
        python_line(&p->python, "result = result.rolling(%d).%s()", window, reduce);
    else
        python_line(&p->python,
                    "result = result.rolling(%d, min_periods=1).%s().iloc[%d:]", window,
                    reduce, window - 1);
}

/* Periods without rows are there, too, so that "the one before" is the one before. */
static void
fill_periods(struct program *p)
{
    const struct value *key = p->query->key[0];
    const struct amount *amount = &p->query->amount[0];
    const char *fill = is_nought_when_empty(amount) ? ", fill_value=0" : "";

    if (key->kind != VALUE_PART || p->query->along == ALONG_CUMULATIVE)
        return;
    python_line(&p->python, "if len(result):");
    p->python.depth++;
    if (key->part == PART_YEAR)
        python_line(&p->python,
                    "result = result.reindex(range(int(result.index.min()), "
                    "int(result.index.max()) + 1)%s)",
                    fill);
    else
        python_line(&p->python,
                    "result = result.reindex(pd.period_range(result.index.min(), "
                    "result.index.max()%s, name=result.index.name)%s)",
                    "", fill);
    p->python.depth--;
}

static int
periods_a_year(const struct value *key)
{
    static const int periods[] = {
        [PART_QUARTER] = 4,
        [PART_MONTH] = 12,
        [PART_WEEK] = 52,
        [PART_DAY] = 365,
    };

    return key->part < COUNT_OF(periods) && periods[key->part] ? periods[key->part] : 1;
}

void
program_along(struct program *p)
{
    const struct query *query = p->query;

    if (query->along == ALONG_NONE || time_key(p) < 0)
        return;
    if (query->keys > 1)
        program_wide(p);
    fill_periods(p);
    switch (query->along) {
    case ALONG_CUMULATIVE:
        python_line(&p->python, "result = result.cumsum()");
        break;
    case ALONG_CHANGE:
        python_line(&p->python, "result = result.diff()");
        break;
    case ALONG_PERCENT:
        python_line(&p->python, "result = 100 * result.pct_change(fill_method=None)");
        break;
    case ALONG_ROLLING:
        roll(p, "mean");
        break;
    case ALONG_ROLLING_SUM:
        roll(p, "sum");
        break;
    case ALONG_YEAR_BEFORE:
        python_line(&p->python,
                    "result = 100 * result.pct_change(%d, fill_method=None)",
                    periods_a_year(query->key[0]));
        break;
    case ALONG_NONE:
    case ALONG_TOTAL:
        break;
    }
    python_line(&p->python, "result = result.dropna(%s)",
                p->is_wide ? "how=\"all\"" : "");
}

void
program_share(struct program *p)
{
    if (p->query->share == SHARE_TOTAL)
        python_line(&p->python, "result = 100 * result / result.sum()");
    else if (p->query->share == SHARE_WITHIN)
        python_line(
            &p->python,
            "result = 100 * result / result.groupby(level=0).transform(\"sum\")");
}

const char *
program_count(struct program *p, const char *all)
{
    const int count = p->query->rank.count ? p->query->rank.count : 1;

    return p->query->rank.is_percent
               ? arena_printf(p->arena, "max(1, round(len(%s) * %d / 100))", all, count)
               : arena_printf(p->arena, "%d", count);
}

const char *
program_nth(const struct program *p)
{
    const int place = p->query->rank.count;

    return p->query->rank.is_nth
               ? arena_printf(p->arena, ".iloc[%d:%d]", place - 1, place)
               : "";
}

void
program_rank(struct program *p)
{
    const struct query *query = p->query;
    const char *which = query->rank.is_low ? "nsmallest" : "nlargest";
    const char *count = program_count(p, "result");

    if (!query->rank.is_there)
        return;
    if (!query->rank.count && query->shape == SHAPE_CHART) { /* the winner among all */
        python_line(&p->python, "result = result.sort_values(ascending=%s)",
                    query->rank.is_low ? "True" : "False");
        return;
    }
    if (query->rank.is_within && query->keys > 1)
        python_line(&p->python,
                    "result = result.groupby(level=%s, group_keys=False).%s(%s)",
                    query->keys > 2 ? "[0, 1]" : "0", which, count);
    else if (query->amounts > 1)
        python_line(&p->python, "result = result.%s(%s, %s)", which, count,
                    program_text(p, program_amount_name(p, 0)));
    else
        python_line(&p->python, "result = result.dropna().%s(%s)%s", which, count,
                    program_nth(p));
}

const char *
program_order_of(const struct value *key)
{
    if (key->kind == VALUE_PART && key->part == PART_WEEKDAY)
        return "[\"Monday\", \"Tuesday\", \"Wednesday\", \"Thursday\", \"Friday\", "
               "\"Saturday\", \"Sunday\"]";
    if (key->kind == VALUE_PART && key->part == PART_SEASON)
        return "[\"winter\", \"spring\", \"summer\", \"autumn\"]";
    if (key->kind == VALUE_PART && key->part == PART_MONTH_NAME)
        return "[\"January\", \"February\", \"March\", \"April\", \"May\", \"June\", "
               "\"July\", \"August\", \"September\", \"October\", \"November\", "
               "\"December\"]";
    return NULL;
}

/* Small, medium, large: in this order, as the lexicon has it. */
static const char *
ordinal_order(struct program *p, const struct value *key)
{
    const struct column *column =
        key->kind == VALUE_COLUMN ? &p->frame->column[key->column] : NULL;
    size_t count;

    if (!column || column->is_mixed || column->has_both_yes || !column->values ||
        column->kind != COLUMN_TEXT)
        return NULL;
    const char **names = lexicon_ordinal(p->lexicon, p->arena, column->values, &count);
    const char *list = "";
    for (size_t i = 0; names && i < count; i++)
        list = arena_printf(p->arena, "%s%s%s", list, i ? ", " : "",
                            program_text(p, names[i]));
    return names ? arena_printf(p->arena, "[%s]", list) : NULL;
}

void
program_order(struct program *p)
{
    const struct query *query = p->query;
    const char *order = query->keys ? program_order_of(query->key[0]) : NULL;

    if (query->rank.is_there || !query->keys ||
        (query->mark == MARK_LINE && time_key(p) >= 0)) /* which goes on as time does */
        return;
    if (query->is_sorted && !query->sorts_by_key && !p->is_wide) {
        const char *by = query->amounts > 1
                             ? arena_printf(p->arena, "%s, ",
                                            program_text(p, program_amount_name(p, 0)))
                             : "";

        python_line(&p->python, "result = result.sort_values(%sascending=%s)", by,
                    query->sorts_down ? "False" : "True");
        return;
    }
    order = order ? order : ordinal_order(p, query->key[0]);
    if (order && (query->keys == 1 || p->is_wide)) {
        python_line(&p->python, "order = %s", order);
        python_line(
            &p->python,
            "result = result.loc[[name for name in order if name in result.index]]");
    }
    if (query->is_sorted && query->sorts_by_key && query->sorts_down)
        python_line(&p->python, "result = result.iloc[::-1]");
    else if (!order && !query->is_sorted && query->keys == 1 && query->amounts == 1 &&
             query->key[0]->kind == VALUE_COLUMN &&
             p->frame->column[query->key[0]->column].role == ROLE_NOMINAL)
        python_line(&p->python, "result = result.sort_values(ascending=False)");
}

void
program_wide(struct program *p)
{
    const struct query *query = p->query;
    int time = time_key(p);
    const bool is_time_down = time > 0 && query->keys == 2 && !query->has_sides;

    if (p->is_wide || query->keys < 2 || query->amounts > 1)
        return;
    bool counts = query->amount[0].reduce == REDUCE_COUNT && !query->amount[0].of;
    python_line(&p->python, "result = result.unstack(%s%s)",
                is_time_down ? "level=0" : "",
                !counts        ? ""
                : is_time_down ? ", fill_value=0"
                               : "fill_value=0");
    const char *order =
        query->keys == 2 && time != 1 ? program_order_of(query->key[1]) : NULL;
    if (order)
        python_line(&p->python,
                    "result = result[[name for name in %s if name in result]]", order);
    p->is_wide = true;
}
