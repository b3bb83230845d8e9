/* Answers that are rows: the first by some order, outliers; and all correlations. */
#include "bridge/planner/program/program.h"

enum {
    ROWS_SHOWN = 20,
};

/* What rows are ranked by. */
static const char *
number_of_rows(struct program *p)
{
    const struct value *by = p->query->rank.by;
    const bool is_date =
        by->kind == VALUE_COLUMN && p->frame->column[by->column].kind == COLUMN_DATE;

    const bool is_text =
        by->kind == VALUE_COLUMN && p->frame->column[by->column].kind == COLUMN_TEXT;

    return is_date                          ? program_date(p, by)
           : is_text && p->query->is_sorted ? program_key(p, by)
                                            : program_number(p, by);
}

/* The rows whose places `best` has, with what they are ranked by. */
static void
show_best(struct program *p, const struct value *by)
{
    /* "$1,200" is text: what was ranked is shown as the number that it is */
    const bool is_text =
        by->kind == VALUE_COLUMN && p->frame->column[by->column].is_numeric_text;

    if (by->kind == VALUE_COLUMN && !is_text)
        python_line(&p->python, "%s.iloc[best.index]", p->rows);
    else
        python_line(&p->python, "%s.iloc[best.index].assign(**{%s: best.to_numpy()})",
                    p->rows, program_text(p, query_value_name(p->arena, p->frame, by)));
}

/* "most streamed song in each genre": by group, each group's best first. */
static void
rows_of_groups(struct program *p)
{
    const struct query *query = p->query;
    const struct value *by = query->rank.by;
    const char *groups = "";

    for (unsigned i = 0; i < query->keys; i++)
        groups = arena_printf(p->arena, "%s%s(%s).to_numpy()", groups, i ? ", " : "",
                              program_key(p, query->key[i]));
    python_line(&p->python, "number = %s", number_of_rows(p));
    python_line(&p->python, "groups = [%s]", groups);
    python_line(
        &p->python, "best = number.reset_index(drop=True).groupby(groups).%s(%s)",
        query->rank.is_low ? "nsmallest" : "nlargest", program_count(p, p->rows));
    python_line(&p->python, "best = best.set_axis(best.index.get_level_values(-1))");
    show_best(p, by);
}

void
program_rows(struct program *p)
{
    const struct query *query = p->query;
    const struct value *by = query->rank.by;
    const bool is_some = query->rank.count || query->rank.is_there;
    const char *count =
        is_some ? program_count(p, p->rows) : arena_printf(p->arena, "%d", ROWS_SHOWN);
    const char *label = by ? program_label(p, by) : NULL;

    if (!by) {
        python_line(&p->python, "print(%s, format(len(%s), \",\"))",
                    program_text(p, program_say(p, "code.rowcount", NULL)), p->rows);
        if (is_some || !query->tests)
            python_line(&p->python, "%s.head(%s)", p->rows, count);
        else /* all that were asked for, of which pandas shows as many as fit */
            python_line(&p->python, "%s", p->rows);
        return;
    }
    if (query->keys) {
        rows_of_groups(p);
        return;
    }
    if (query->is_sorted) {
        python_line(&p->python,
                    "order = %s.reset_index(drop=True).sort_values(ascending=%s).index",
                    number_of_rows(p), query->sorts_down ? "False" : "True");
        python_line(&p->python, "%s.iloc[order]", p->rows);
        return;
    }
    const bool is_date =
        by->kind == VALUE_COLUMN && p->frame->column[by->column].kind == COLUMN_DATE;
    if (label && (program_is_number(p, by) || is_date)) {
        python_line(&p->python, "%s.%s(%s, %s)%s", p->rows,
                    query->rank.is_low ? "nsmallest" : "nlargest", count, label,
                    program_nth(p));
        return;
    }
    python_line(&p->python, "number = %s", number_of_rows(p));
    python_line(&p->python, "best = number.reset_index(drop=True).%s(%s)%s",
                query->rank.is_low ? "nsmallest" : "nlargest", count, program_nth(p));
    show_best(p, by);
}

/* Beyond one and a half times the distance of the quartiles. */
void
program_outliers(struct program *p)
{
    const struct value *of = p->query->amount[0].of;

    python_line(&p->python, "number = %s", program_number(p, of));
    python_line(&p->python, "low, high = number.quantile(0.25), number.quantile(0.75)");
    python_line(&p->python, "reach = 1.5 * (high - low)");
    python_line(&p->python,
                "outliers = %s[(number < low - reach) | (number > high + reach)]",
                p->rows);
    python_line(
        &p->python,
        "print(len(outliers), %s, format(low - reach, \",.2f\"), %s, "
        "format(high + reach, \",.2f\"))",
        program_text(p, program_say(p, "code.outliers",
                                    query_value_name(p->arena, p->spoken->frame, of))),
        program_text(p, program_say(p, "code.above", NULL)));
    if (p->query->counts_outliers)
        python_line(&p->python, "answer = len(outliers)");
    python_line(&p->python, p->query->counts_outliers ? "answer" : "outliers");
}
