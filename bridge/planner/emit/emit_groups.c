/* `result`: a number for each group, or a column for each measure. */
#include "bridge/planner/emit/emitter.h"

static const char *
reducer(enum plan_aggregate aggregate)
{
    static const char *const reducers[] = {
        [AGG_NONE] = "mean()", [AGG_COUNT] = "size()",    [AGG_SUM] = "sum()",
        [AGG_MEAN] = "mean()", [AGG_MEDIAN] = "median()", [AGG_MIN] = "min()",
        [AGG_MAX] = "max()",   [AGG_STD] = "std()",       [AGG_DISTINCT] = "nunique()",
    };

    return reducers[aggregate];
}

/* What groupby() is given: a label, or a variable when cells must be made into keys. */
static const char *
group_by(struct emitter *e, int column, bool is_x, const char *variable)
{
    const char *key = emit_key(e, column, is_x), *cells = emit_column(e, column);

    if (strcmp(key, cells) == 0 && emit_has_plain_label(e, column))
        return python_text(e->arena, emit_about(e, column)->name);
    python_line(&e->python, "%s = %s", variable, key);
    return variable;
}

/* Of categories, only those that have rows; other columns need no word of it. */
static const char *
observed(const struct emitter *e)
{
    const int keys[] = {e->plan->x, e->plan->series};

    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (keys[i] >= 0 && emit_about(e, keys[i])->may_be_category)
            return ", observed=True";
    return "";
}

/* Both keys, as a list where there are two. */
static const char *
key_list(struct emitter *e, const char *x, const char *series)
{
    return series ? arena_printf(e->arena, "[%s, %s]", x, series) : x;
}

/* A key as cells, where a label would not do. */
static const char *
key_cells(struct emitter *e, int column, const char *key)
{
    return key && key[0] == '"' ? emit_column(e, column) : key;
}

static const char *
reduced(struct emitter *e, const struct measure *measure, const char *x,
        const char *series)
{
    const char *keys = key_list(e, x, series);

    if (measure->aggregate == AGG_COUNT)
        return arena_printf(e->arena, "%s.groupby(%s%s).size()", e->source, keys,
                            observed(e));
    const char *numbers = emit_number(e, measure),
               *cells = emit_column(e, measure->column);
    if (strcmp(numbers, cells) == 0 && emit_has_plain_label(e, measure->column))
        return arena_printf(e->arena, "%s.groupby(%s%s)[%s].%s", e->source, keys,
                            observed(e),
                            python_text(e->arena, emit_about(e, measure->column)->name),
                            reducer(measure->aggregate));
    keys =
        key_list(e, key_cells(e, e->plan->x, x), key_cells(e, e->plan->series, series));
    return arena_printf(e->arena, "%s.groupby(%s%s).%s", numbers, keys, observed(e),
                        reducer(measure->aggregate));
}

static void
emit_groups(struct emitter *e, const char *x, const char *series)
{
    const struct plan *plan = e->plan;
    const struct measure first = {plan->y, plan->aggregate};

    if (plan->is_ratio) {
        python_line(&e->python, "sums = %s", reduced(e, &first, x, series));
        python_line(&e->python, "result = sums / %s",
                    reduced(e, &plan->per, x, series));
        return;
    }
    python_line(&e->python, "result = %s", reduced(e, &first, x, series));
}

/* Categories past the largest are one, called "other". */
static const char *
fold(struct emitter *e, int column, const char *key, const char *variable, int most)
{
    const char *other = python_text(e->arena, emit_say(e, "code.other", NULL, NULL));
    const char *cells = key[0] == '"' ? emit_column(e, column) : key;

    python_blank(&e->python);
    python_comment(&e->python,
                   emit_say(e, "code.fold", arena_printf(e->arena, "%d", most), NULL));
    if (e->plan->series >= 0) {
        const char *sizes = arena_printf(e->arena, "%s.value_counts()", cells);

        python_line(&e->python, "largest = %s.index[:%d]", sizes, most);
    } else {
        python_line(&e->python, "largest = result.nlargest(%d).index", most);
    }
    python_line(&e->python, "%s = %s.astype(object)", variable, cells);
    python_line(&e->python, "if %s.nunique() > %d:", variable, most);
    python_line(&e->python, "    print(%s.nunique() - %d, %s)", variable, most,
                python_text(e->arena, emit_say(e, "code.folded", NULL, NULL)));
    python_line(&e->python, "    %s = %s.where(%s.isin(largest) | %s.isna(), %s)",
                variable, variable, variable, variable, other);
    return variable;
}

static bool
is_folded(const struct emitter *e, int column)
{
    return !e->plan->limit && e->plan->aggregate != AGG_NONE &&
           emit_many(e, column, CATEGORIES_MAX);
}

static void
emit_rows_as_result(struct emitter *e, const char *key)
{
    const struct plan *plan = e->plan;
    const char *index = key[0] == '"' ? emit_column(e, plan->x) : key;

    if (emit_about(e, plan->x)->is_zoned &&
        !plan->grain) /* .values would be those of UTC */
        index = arena_printf(e->arena, "%s.dt.tz_localize(None)", index);

    python_line(&e->python, "result = pd.Series(%s.values, index=%s.values).dropna()",
                emit_measure(e, plan->y), index);
}

static void
emit_single(struct emitter *e)
{
    const char *key = group_by(e, e->plan->x, true, "groups");

    if (e->plan->aggregate == AGG_NONE) {
        emit_rows_as_result(e, key);
        return;
    }
    emit_groups(e, key, NULL);
    if (!is_folded(e, e->plan->x))
        return;
    key = fold(e, e->plan->x, key, "groups", CATEGORIES_MAX);
    emit_groups(e, key, NULL);
}

static void
emit_double(struct emitter *e)
{
    const struct plan *plan = e->plan;
    const char *x = group_by(e, plan->x, true, "groups");
    const char *series = group_by(e, plan->series, false, "series");

    if (is_folded(e, plan->x))
        x = fold(e, plan->x, x, "groups", CATEGORIES_MAX);
    if (emit_many(e, plan->series, SERIES_MAX))
        series = fold(e, plan->series, series, "series", SERIES_MAX);
    emit_groups(e, x, series);
    python_line(&e->python, "result = result.unstack(%s)",
                plan->aggregate == AGG_COUNT ? "fill_value=0" : "");
}

void
emit_days(struct emitter *e)
{
    python_line(&e->python, "days = [\"Monday\", \"Tuesday\", \"Wednesday\", "
                            "\"Thursday\", \"Friday\", \"Saturday\", \"Sunday\"]");
}

bool
emit_counts_up(const struct emitter *e, int column)
{
    const struct column *about = emit_about(e, column);

    return about->is_numeric_text && about->nulls == 0 && about->unique >= 0 &&
           about->unique <= CATEGORIES_MAX;
}

static void
emit_order(struct emitter *e)
{
    const struct plan *plan = e->plan;
    const char *ascending = plan->is_descending ? "ascending=False" : "";
    bool is_table = plan->series >= 0;

    if (plan->grain == GRAIN_WEEKDAY && plan->sort != AXIS_Y) {
        emit_days(e);
        python_line(
            &e->python,
            "result = result.reindex([day for day in days%s if day in result.index])",
            plan->sort == AXIS_X && plan->is_descending ? "[::-1]" : "");
    } else if (plan->sort == AXIS_Y && is_table) {
        python_line(&e->python,
                    "result = result.loc[result.sum(axis=1).sort_values(%s).index]",
                    ascending);
    } else if (plan->sort == AXIS_Y) {
        python_line(&e->python, "result = result.sort_values(%s)", ascending);
    } else if (emit_counts_up(e, plan->x) && plan->aggregate != AGG_NONE) {
        python_line(
            &e->python, "result = result.loc[sorted(result.index, key=float%s)]",
            plan->sort == AXIS_X && plan->is_descending ? ", reverse=True" : "");
    } else if (plan->sort == AXIS_X) {
        python_line(&e->python, "result = result.sort_index(%s)", ascending);
    } else if (plan->aggregate == AGG_NONE && !is_table && plan->mark == MARK_LINE) {
        python_line(&e->python, "result = result.sort_index()");
    }
    if (plan->limit)
        python_line(&e->python, "result = result.head(%d)", plan->limit);
    if (plan->aggregate == AGG_NONE && !is_table && !plan->limit &&
        emit_many(e, plan->x, CATEGORIES_MAX)) {
        python_line(&e->python, "if len(result) > %d:", CATEGORIES_MAX);
        python_line(&e->python, "    print(len(result) - %d, %s)", CATEGORIES_MAX,
                    python_text(e->arena, emit_say(e, "code.cut", NULL, NULL)));
        python_line(&e->python, "    result = result.head(%d)", CATEGORIES_MAX);
    }
}

void
emit_measures(struct emitter *e)
{
    const struct plan *plan = e->plan;
    const char *x = group_by(e, plan->x, true, "groups");
    const char *series =
        plan->series >= 0 ? group_by(e, plan->series, false, "series") : NULL;
    const char *first = emit_measure_title(e, 0);

    python_line(&e->python, "result = pd.DataFrame({");
    for (unsigned i = 0; i <= plan->alsos; i++) {
        const struct measure measure = emit_measure_at(plan, i);

        python_line(&e->python, "    %s: %s,",
                    python_text(e->arena, emit_measure_title(e, i)),
                    reduced(e, &measure, x, series));
    }
    python_line(&e->python, "})");
    if (plan->sort == AXIS_Y)
        python_line(&e->python, "result = result.sort_values(%s%s)",
                    python_text(e->arena, first),
                    plan->is_descending ? ", ascending=False" : "");
    else
        emit_order(e);
    if (plan->sort == AXIS_Y && plan->limit)
        python_line(&e->python, "result = result.head(%d)", plan->limit);
    if (plan->limit || plan->intent != INTENT_CHART ||
        !emit_many(e, plan->x, CATEGORIES_MAX))
        return;
    python_line(&e->python, "if len(result) > %d:", CATEGORIES_MAX);
    python_line(&e->python, "    print(len(result) - %d, %s)", CATEGORIES_MAX,
                python_text(e->arena, emit_say(e, "code.cut", NULL, NULL)));
    python_line(&e->python, "    result = result.head(%d)", CATEGORIES_MAX);
}

void
emit_result(struct emitter *e)
{
    if (e->plan->series >= 0)
        emit_double(e);
    else
        emit_single(e);
    if (e->plan->is_share)
        python_line(&e->python, "result = 100 * result / result.sum()%s",
                    e->plan->series < 0 ? "" : ".sum()");
    emit_order(e);
}
