/*
 * Programs that show a number or a table.
 */
#include "bridge/planner/emit/emitter.h"
#include "bridge/planner/query/query.h"

enum {
    ROWS_SHOWN = 20,
};

static const char *
value_of(struct emitter *e, const struct measure *measure)
{
    static const char *const reducers[] = {
        [AGG_NONE] = "mean()", [AGG_COUNT] = "count()",   [AGG_SUM] = "sum()",
        [AGG_MEAN] = "mean()", [AGG_MEDIAN] = "median()", [AGG_MIN] = "min()",
        [AGG_MAX] = "max()",   [AGG_STD] = "std()",       [AGG_DISTINCT] = "nunique()",
    };

    if (measure->aggregate == AGG_COUNT || measure->column < 0)
        return arena_printf(e->arena, "len(%s)", e->source);
    return arena_printf(e->arena, "%s.%s", emit_number(e, measure),
                        reducers[measure->aggregate]);
}

static void
print_answer(struct emitter *e, const char *name)
{
    python_line(&e->python, "print(%s, answer)",
                python_text(e->arena, arena_printf(e->arena, "%s:",
                                                   query_words(e->arena, name))));
}

/* In percent of what all rows have together. */
static void
emit_part(struct emitter *e)
{
    const struct measure measure = emit_measure_at(e->plan, 0);
    const char *part = value_of(e, &measure), *filtered = e->source;

    e->source = e->whole;
    python_line(&e->python, "whole = %s", value_of(e, &measure));
    e->source = filtered;
    python_line(&e->python, "answer = 100 * %s / whole", part);
    print_answer(e, emit_measure_name(e));
}

static void
emit_value(struct emitter *e)
{
    const struct plan *plan = e->plan;

    if (plan->is_share) {
        emit_part(e);
        return;
    }
    for (unsigned i = 0; i <= plan->alsos; i++) {
        const struct measure measure = emit_measure_at(plan, i);

        python_line(&e->python, "answer = %s%s%s", value_of(e, &measure),
                    plan->is_ratio ? " / " : "",
                    plan->is_ratio ? value_of(e, &plan->per) : "");
        print_answer(e, i ? emit_measure_title(e, i) : emit_measure_name(e));
    }
}

static void
emit_table(struct emitter *e)
{
    if (e->plan->alsos) {
        emit_measures(e);
        python_blank(&e->python);
        python_line(&e->python, "result");
        return;
    }
    emit_result(e);
    python_blank(&e->python);
    if (e->plan->series >= 0)
        python_line(&e->python, "result");
    else
        python_line(&e->python, "result.to_frame(%s)",
                    python_text(e->arena, emit_measure_name(e)));
}

/* What rows are ordered by: numbers, dates, or text as it stands. */
static const char *
row_order(struct emitter *e, int column)
{
    const struct column *about = &e->frame->column[column];

    if (column_is_number(about))
        return emit_measure(e, column);
    return about->kind == COLUMN_DATE ? emit_key(e, column, false)
                                      : emit_column(e, column);
}

static void
emit_rows(struct emitter *e)
{
    const struct plan *plan = e->plan;
    int column = plan->sort == AXIS_Y   ? plan->y
                 : plan->sort == AXIS_X ? plan->x
                                        : plan->sort_column;
    const bool is_all = !plan->limit && (plan->filters || column >= 0);
    const char *head = is_all ? ""
                              : arena_printf(e->arena, ".head(%d)",
                                             plan->limit ? plan->limit : ROWS_SHOWN);

    /* By position: labels of the index may repeat. */
    if (column >= 0) {
        python_line(&e->python,
                    "order = %s.reset_index(drop=True).sort_values(%s).index",
                    row_order(e, column), plan->is_descending ? "ascending=False" : "");
        python_line(&e->python, "%s.iloc[order]%s", e->source, head);
        return;
    }
    if (!plan->limit)
        python_line(&e->python, "print(len(%s), %s)", e->source,
                    python_text(e->arena, emit_say(e, "code.rows", NULL, NULL)));
    python_line(&e->python, "%s%s", e->source, head);
}

static void
emit_unique(struct emitter *e)
{
    python_line(&e->python, "result = %s.value_counts(dropna=False)",
                emit_column(e, e->plan->x));
    python_line(&e->python, "print(len(result), %s)",
                python_text(e->arena, emit_say(e, "code.distinct", NULL, NULL)));
    python_line(&e->python, "result.head(50)");
}

static bool
has_other(const struct emitter *e)
{
    for (int i = 0; i < e->frame->columns; i++)
        if (e->frame->column[i].kind == COLUMN_OTHER)
            return true;
    return false;
}

static void
emit_describe(struct emitter *e)
{
    int column = e->plan->x >= 0 ? e->plan->x : e->plan->y;

    if (column >= 0)
        python_line(&e->python, "%s.describe()", emit_column(e, column));
    else
        python_line(&e->python, "%s%s.describe(include=\"all\").transpose()", e->source,
                    has_other(e) ? ".select_dtypes(exclude=\"complex\")" : "");
}

/* What stands in columns of numbers where there is none, taken away; "": nothing does.
 */
static const char *
without_placeholders(struct emitter *e)
{
    const char *list = "";

    for (int i = 0; i < e->frame->columns; i++)
        if (column_says_missing(&e->frame->column[i]))
            list = arena_printf(e->arena, "%s%s%s: %s", list, *list ? ", " : "",
                                python_text(e->arena, e->frame->column[i].name),
                                python_text(e->arena, e->frame->column[i].placeholder));
    return *list ? arena_printf(e->arena, ".replace({%s}, float(\"nan\"))", list) : "";
}

static void
emit_missing(struct emitter *e)
{
    int column = e->plan->x >= 0 ? e->plan->x : e->plan->y;

    if (column >= 0) {
        const char *placeholder = column_says_missing(&e->frame->column[column]);

        python_line(&e->python, "answer = int(%s%s.isna().sum())",
                    emit_column(e, column),
                    placeholder ? arena_printf(e->arena, ".replace(%s, float(\"nan\"))",
                                               python_text(e->arena, placeholder))
                                : "");
        python_line(
            &e->python, "print(%s, answer)",
            python_text(e->arena,
                        emit_say(e, "code.missingin",
                                 query_words(e->arena, e->frame->column[column].name),
                                 NULL)));
        return;
    }
    python_line(&e->python,
                "missing = %s%s.isna().sum().sort_values(ascending=False, "
                "kind=\"stable\")",
                e->source, without_placeholders(e));
    python_line(&e->python, "if missing.sum():");
    python_line(&e->python, "    most = missing.index[missing == missing.max()][:5]");
    python_line(&e->python,
                "    print(%s, \", \".join(map(str, most)), \"(\" + "
                "format(missing.max(), \",\") + \")\")",
                python_text(e->arena, emit_say(e, "code.mostmissing", NULL, NULL)));
    python_line(
        &e->python,
        "pd.DataFrame({\"missing\": missing, \"share\": missing / max(len(%s), 1)})",
        e->source);
}

static void
emit_columns(struct emitter *e)
{
    python_line(
        &e->python,
        "pd.DataFrame({\"type\": %s.dtypes.astype(str), \"values\": %s.count()})",
        e->source, e->source);
}

void
emit_other(struct emitter *e)
{
    static void (*const others[])(struct emitter *) = {
        [INTENT_CHART] = emit_table,     [INTENT_TABLE] = emit_table,
        [INTENT_VALUE] = emit_value,     [INTENT_ROWS] = emit_rows,
        [INTENT_UNIQUE] = emit_unique,   [INTENT_DESCRIBE] = emit_describe,
        [INTENT_MISSING] = emit_missing, [INTENT_CORRELATION] = emit_describe,
        [INTENT_COLUMNS] = emit_columns,
    };

    others[e->plan->intent](e);
}
