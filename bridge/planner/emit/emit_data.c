/*
 * The first half of every program: which rows, and which number for each group.
 */
#include <math.h>

#include "bridge/planner/emit/emitter.h"

static const struct column *
at(const struct emitter *e, int column)
{
    return &e->frame->column[column];
}

/* A label that Python's `data["..."]` finds; others are taken by their place. */
static bool
has_plain_label(const struct emitter *e, int column)
{
    return !at(e, column)->is_duplicate && !at(e, column)->key;
}

const char *
emit_column(struct emitter *e, int column)
{
    if (has_plain_label(e, column))
        return arena_printf(e->arena, "%s[%s]", e->source,
                            python_text(e->arena, at(e, column)->name));
    return arena_printf(e->arena, "%s.iloc[:, %d]", e->source, column);
}

bool
emit_many(const struct emitter *e, int column, int most)
{
    const struct column *about = at(e, column);

    if (about->role != ROLE_NOMINAL && about->role != ROLE_KEY)
        return false;
    return about->unique < 0 || about->unique > most;
}

/* --- conditions --- */

static const char *
operand(struct emitter *e, const struct operand *value)
{
    return value->is_number ? python_number(e->arena, value->number)
                            : python_text(e->arena, value->text);
}

static const char *
dates_of(struct emitter *e, int column)
{
    const char *cells = emit_column(e, column);

    if (at(e, column)->is_datetime)
        return cells;
    return arena_printf(e->arena, "pd.to_datetime(%s, errors=\"coerce\")", cells);
}

/* A column as what its condition compares: text, number, date or the year of a date. */
static const char *
compared(struct emitter *e, const struct filter *filter)
{
    const struct column *column = at(e, filter->column);
    bool is_number = filter->operands && filter->operand[0].is_number;

    if (column->kind == COLUMN_DATE)
        return is_number
                   ? arena_printf(e->arena, "%s.dt.year", dates_of(e, filter->column))
                   : dates_of(e, filter->column);
    if (is_number && column->kind != COLUMN_NUMBER)
        return arena_printf(e->arena, "pd.to_numeric(%s, errors=\"coerce\")",
                            emit_column(e, filter->column));
    if (!is_number && column->kind != COLUMN_TEXT && filter->operands)
        return arena_printf(e->arena, "%s.astype(str)", emit_column(e, filter->column));
    return emit_column(e, filter->column);
}

static const char *
operand_list(struct emitter *e, const struct filter *filter)
{
    const char *list = "";

    for (unsigned i = 0; i < filter->operands; i++)
        list = arena_printf(e->arena, "%s%s%s", list, i ? ", " : "",
                            operand(e, &filter->operand[i]));
    return list;
}

static const char *
text_test(struct emitter *e, const struct filter *filter)
{
    const char *cells = compared(e, filter);
    const char *value = operand(e, &filter->operand[0]);

    if (filter->op == OP_CONTAINS || filter->op == OP_NOT_CONTAINS)
        return arena_printf(e->arena,
                            "%s%s.str.contains(%s, case=False, regex=False, na=False)",
                            filter->op == OP_NOT_CONTAINS ? "~" : "", cells, value);
    return arena_printf(e->arena, "%s.str.lower().str.%s(%s.lower(), na=False)", cells,
                        filter->op == OP_STARTS ? "startswith" : "endswith", value);
}

static const char *
condition(struct emitter *e, const struct filter *filter)
{
    const char *cells = compared(e, filter);

    switch (filter->op) {
    case OP_EQ:
    case OP_NE:
    case OP_GT:
    case OP_GE:
    case OP_LT:
    case OP_LE:
        return arena_printf(e->arena, "%s %s %s", cells, plan_operator_name(filter->op),
                            operand(e, &filter->operand[0]));
    case OP_BETWEEN:
        return arena_printf(e->arena, "%s.between(%s, %s)", cells,
                            operand(e, &filter->operand[0]),
                            operand(e, &filter->operand[filter->operands - 1]));
    case OP_IN:
        return arena_printf(e->arena, "%s.isin([%s])", cells, operand_list(e, filter));
    case OP_NOT_IN:
        return arena_printf(e->arena, "~%s.isin([%s])", cells, operand_list(e, filter));
    case OP_CONTAINS:
    case OP_NOT_CONTAINS:
    case OP_STARTS:
    case OP_ENDS:
        return text_test(e, filter);
    case OP_NULL:
        return arena_printf(e->arena, "%s.isna()", emit_column(e, filter->column));
    case OP_NOT_NULL:
        return arena_printf(e->arena, "%s.notna()", emit_column(e, filter->column));
    }
    return "True";
}

static void
emit_filters(struct emitter *e)
{
    const struct plan *plan = e->plan;

    if (plan->filters == 1) {
        python_line(&e->python, "data = %s[%s]", e->source,
                    condition(e, &plan->filter[0]));
    } else {
        python_line(&e->python, "data = %s[", e->source);
        for (unsigned i = 0; i < plan->filters; i++)
            python_line(&e->python, "    %s(%s)",
                        i == 0                  ? ""
                        : plan->filter[i].is_or ? "| "
                                                : "& ",
                        condition(e, &plan->filter[i]));
        python_line(&e->python, "]");
    }
    e->source = "data";
    python_line(&e->python, "if data.empty:");
    python_line(&e->python, "    print(%s)",
                python_text(e->arena, emit_say(e, "code.norows", NULL, NULL)));
}

/* --- the rows --- */

static void
emit_file(struct emitter *e)
{
    static const struct {
        const char *format, *reader;
    } readers[] = {
        {"csv",     "read_csv"    },
        {"tsv",     "read_csv"    },
        {"excel",   "read_excel"  },
        {"parquet", "read_parquet"},
        {"json",    "read_json"   },
    };
    const struct frame *frame = e->frame;
    const char *reader = "read_csv", *extra = "";

    for (size_t i = 0; frame->format && i < COUNT_OF(readers); i++)
        if (strcmp(readers[i].format, frame->format) == 0)
            reader = readers[i].reader;
    if (frame->format && strcmp(frame->format, "tsv") == 0)
        extra = ", sep=\"\\t\"";
    else if (frame->sheet)
        extra = arena_printf(e->arena, ", sheet_name=%s",
                             python_text(e->arena, frame->sheet));
    python_line(&e->python, "table = pd.%s(%s%s)", reader,
                python_text(e->arena, frame->path ? frame->path : frame->name), extra);
    e->source = "table";
}

static bool
needs_figure(const struct emitter *e)
{
    return e->plan->intent == INTENT_CHART || e->plan->mark != MARK_NONE;
}

void
emit_load(struct emitter *e)
{
    if (needs_figure(e))
        python_line(&e->python, "import matplotlib.pyplot as plt");
    python_line(&e->python, "import pandas as pd");
    python_blank(&e->python);
    python_comment(&e->python, emit_title(e->plan, e->frame, e->lexicon, e->arena));
    e->source = python_variable(e->arena, e->frame->name);
    if (e->frame->is_file)
        emit_file(e);
    e->whole = e->source;
    if (e->plan->filters)
        emit_filters(e);
}

/* --- keys and measures --- */

static const char *
grain_code(enum plan_grain grain)
{
    static const char *const codes[] = {
        [GRAIN_YEAR] = "Y", [GRAIN_QUARTER] = "Q", [GRAIN_MONTH] = "M",
        [GRAIN_WEEK] = "W", [GRAIN_DAY] = "D",     [GRAIN_HOUR] = NULL,
    };

    return grain < COUNT_OF(codes) ? codes[grain] : NULL;
}

static const char *
time_key(struct emitter *e, int column)
{
    const char *dates = dates_of(e, column);
    const char *plain = at(e, column)->is_zoned ? ".dt.tz_localize(None)" : "";

    if (e->plan->grain == GRAIN_NONE)
        return dates;
    if (!at(e, column)->is_datetime || *plain) {
        python_line(&e->python, "dates = %s%s", dates, plain);
        dates = "dates";
    }
    switch (e->plan->grain) {
    case GRAIN_WEEKDAY:
        return arena_printf(e->arena, "%s.dt.day_name()", dates);
    case GRAIN_HOUR:
        return arena_printf(e->arena, "%s.dt.hour", dates);
    case GRAIN_YEAR:
        return arena_printf(e->arena, "%s.dt.year", dates);
    case GRAIN_QUARTER:
    case GRAIN_MONTH:
    case GRAIN_WEEK:
    case GRAIN_DAY:
        return arena_printf(e->arena, "%s.dt.to_period(\"%s\").dt.start_time", dates,
                            grain_code(e->plan->grain));
    case GRAIN_NONE:
        break;
    }
    return dates;
}

const char *
emit_key(struct emitter *e, int column, bool is_x)
{
    const struct column *about = at(e, column);
    const char *cells = emit_column(e, column);

    if (is_x && e->plan->grain &&
        (about->role == ROLE_TIME || about->kind == COLUMN_DATE))
        return time_key(e, column);
    if (about->kind == COLUMN_DATE)
        return dates_of(e, column);
    if (about->nulls > 0 && about->kind != COLUMN_NUMBER)
        return arena_printf(
            e->arena, "%s.astype(object).where(%s.notna(), %s)", cells, cells,
            python_text(e->arena, emit_say(e, "code.missing", NULL, NULL)));
    return cells;
}

const char *
emit_measure(struct emitter *e, int column)
{
    return emit_number(e, &(struct measure){column, e->plan->aggregate});
}

const char *
emit_number(struct emitter *e, const struct measure *measure)
{
    const struct column *about = at(e, measure->column);
    const char *cells = emit_column(e, measure->column);

    if (measure->aggregate == AGG_DISTINCT || about->kind == COLUMN_DATE)
        return cells;
    if (about->is_measured)
        return arena_printf(
            e->arena,
            "pd.to_numeric(%s.astype(str).str.replace(r\"[^0-9.\\-]\", \"\", "
            "regex=True), errors=\"coerce\")",
            cells);
    if (about->kind == COLUMN_NUMBER)
        return about->is_nullable ? arena_printf(e->arena, "%s.astype(float)", cells)
                                  : cells;
    return arena_printf(e->arena, "pd.to_numeric(%s, errors=\"coerce\")", cells);
}

/* --- one number for each group --- */

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

    if (strcmp(key, cells) == 0 && has_plain_label(e, column))
        return python_text(e->arena, at(e, column)->name);
    python_line(&e->python, "%s = %s", variable, key);
    return variable;
}

/* Of categories, only those that have rows; other columns need no word of it. */
static const char *
observed(const struct emitter *e)
{
    const int keys[] = {e->plan->x, e->plan->series};

    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (keys[i] >= 0 && at(e, keys[i])->may_be_category)
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
    if (strcmp(numbers, cells) == 0 && has_plain_label(e, measure->column))
        return arena_printf(e->arena, "%s.groupby(%s%s)[%s].%s", e->source, keys,
                            observed(e),
                            python_text(e->arena, at(e, measure->column)->name),
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

    if (at(e, plan->x)->is_zoned && !plan->grain) /* .values would be those of UTC */
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
    const struct column *about = at(e, column);

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
