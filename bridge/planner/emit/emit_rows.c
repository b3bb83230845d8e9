/* The first lines of every program: which rows. */
#include "bridge/planner/emit/emitter.h"

const struct column *
emit_about(const struct emitter *e, int column)
{
    return &e->frame->column[column];
}

/* A label that Python's `data["..."]` finds; others are taken by their place. */
bool
emit_has_plain_label(const struct emitter *e, int column)
{
    return !emit_about(e, column)->is_duplicate && !emit_about(e, column)->key;
}

const char *
emit_column(struct emitter *e, int column)
{
    if (emit_has_plain_label(e, column))
        return arena_printf(e->arena, "%s[%s]", e->source,
                            python_text(e->arena, emit_about(e, column)->name));
    return arena_printf(e->arena, "%s.iloc[:, %d]", e->source, column);
}

bool
emit_many(const struct emitter *e, int column, int most)
{
    const struct column *about = emit_about(e, column);

    if (about->role != ROLE_NOMINAL && about->role != ROLE_KEY)
        return false;
    return about->unique < 0 || about->unique > most;
}

static const char *
operand(struct emitter *e, const struct operand *value)
{
    return value->is_number ? python_number(e->arena, value->number)
                            : python_text(e->arena, value->text);
}

const char *
emit_dates(struct emitter *e, int column)
{
    const char *cells = emit_column(e, column);

    if (emit_about(e, column)->is_datetime)
        return cells;
    return column_dates(e->arena, emit_about(e, column), cells);
}

/* A column as what its condition compares: text, number, date or the year of a date. */
static const char *
compared(struct emitter *e, const struct filter *filter)
{
    const struct column *column = emit_about(e, filter->column);
    bool is_number = filter->operands && filter->operand[0].is_number;

    if (column->kind == COLUMN_DATE)
        return is_number
                   ? arena_printf(e->arena, "%s.dt.year", emit_dates(e, filter->column))
                   : emit_dates(e, filter->column);
    if (is_number && column->is_measured)
        return emit_number(e, &(struct measure){filter->column, AGG_NONE});
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
    e->source = frame_source(e->arena, e->frame);
    if (!frame_is_variable(e->frame)) {
        python_line(&e->python, "table = %s", e->source);
        e->source = "table";
    }
    e->whole = e->source;
    if (e->plan->filters)
        emit_filters(e);
}
