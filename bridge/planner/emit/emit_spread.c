/*
 * Charts of how values are distributed: histograms and boxes.
 */
#include "bridge/planner/emit/emitter.h"

/* More names than are shown are said. */
static void
emit_cut(struct emitter *e, int column, int most)
{
    json_int_t names = e->frame->column[column].unique;

    if (names >= 0 && names <= most)
        return;
    python_line(&e->python, "if len(names) > %d:", most);
    python_line(&e->python, "    print(len(names) - %d, %s)", most,
                python_text(e->arena, emit_say(e, "code.cut", NULL, NULL)));
    python_line(&e->python, "    names = names[:%d]", most);
}

/* `series` and the `names` in it, the most frequent first. */
static void
emit_parts(struct emitter *e, const char *which)
{
    python_line(&e->python, "series = %s%s", emit_key(e, e->plan->series, false),
                which);
    python_line(&e->python, "names = list(series.value_counts().index)");
    emit_cut(e, e->plan->series, SERIES_MAX);
}

/* --- histograms --- */

static const char *
bins_of(struct emitter *e)
{
    const struct plan *plan = e->plan;

    if (plan->bin_width > 0) {
        const char *width = python_number(e->arena, plan->bin_width);

        python_line(&e->python, "width = %s", width);
        python_line(&e->python, "start = values.min() // width * width");
        python_line(&e->python,
                    "count = min(int((values.max() - start) // width) + 1, 1000)");
        return "[start + at * width for at in range(count + 1)]";
    }
    return arena_printf(e->arena, "%d", plan->bins ? plan->bins : 20);
}

void
emit_histogram(struct emitter *e)
{
    const struct plan *plan = e->plan;

    python_line(&e->python, "values = %s.dropna()", emit_axis_values(e, plan->x));
    if (e->frame->column[plan->x].has_infinite)
        python_line(&e->python, "values = values[values.abs() < float(\"inf\")]");
    if (plan->bin_width > 0 && plan->filters) {
        python_line(&e->python, "if values.empty:");
        python_line(&e->python, "    values = pd.Series([0.0])");
    }
    const char *bins = bins_of(e);
    if (plan->series >= 0) {
        emit_parts(e, ".loc[values.index]");
        python_line(&e->python, "parts = [values[series == name] for name in names]");
    }
    python_blank(&e->python);
    python_line(&e->python, "fig, ax = plt.subplots()");
    if (plan->series >= 0)
        python_line(
            &e->python,
            "ax.hist(parts, bins=%s, stacked=True, label=[str(n) for n in names])",
            bins);
    else
        python_line(&e->python, "ax.hist(values, bins=%s, edgecolor=\"white\"%s)", bins,
                    emit_colour(e));
    emit_labels(e, emit_measure_label(e));
    if (plan->series >= 0)
        emit_legend(e);
}

/* --- boxes --- */

/* Of text, some may be missing, which is text too; all else has an order of its own. */
static const char *
order_of_names(const struct emitter *e)
{
    const struct column *x = &e->frame->column[e->plan->x];

    if (emit_counts_up(e, e->plan->x))
        return ", key=float";
    return x->kind == COLUMN_TEXT || (x->kind == COLUMN_BOOL && x->nulls != 0)
               ? ", key=str"
               : "";
}

static void
emit_box_names(struct emitter *e)
{
    if (e->plan->grain == GRAIN_WEEKDAY) {
        emit_days(e);
        python_line(&e->python,
                    "names = [day for day in days if (groups == day).any()]");
        return;
    }
    python_line(&e->python, "names = sorted(groups.dropna().unique()%s)",
                order_of_names(e));
    emit_cut(e, e->plan->x, CATEGORIES_MAX);
}

static void
emit_box_ticks(struct emitter *e, const char *places)
{
    python_line(&e->python,
                "ax.set_xticks(%s, [str(name).replace(\"$\", r\"\\$\") for name in "
                "names])",
                places);
    emit_turn(e, e->plan->x);
    emit_labels(e, emit_label(e, e->plan->y));
}

/* Side by side in each group, one colour a part. */
static void
emit_box_clusters(struct emitter *e)
{
    python_line(&e->python, "fig, ax = plt.subplots()");
    python_line(&e->python, "width = 0.8 / max(len(parts), 1)");
    python_line(&e->python, "for at, part in enumerate(parts):");
    e->python.depth++;
    python_line(&e->python, "cells = [values[(groups == name) & (series == part)]"
                            ".dropna() for name in names]");
    python_line(&e->python, "places = [place - 0.4 + (at + 0.5) * width "
                            "for place in range(len(names))]");
    python_line(&e->python, "boxes = ax.boxplot(cells, positions=places, "
                            "widths=0.8 * width, patch_artist=True)");
    python_line(&e->python, "for box in boxes[\"boxes\"]:");
    python_line(&e->python, "    box.set_facecolor(\"C\" + str(at %% 10))");
    python_line(&e->python, "for box in boxes[\"boxes\"][:1]:");
    python_line(&e->python, "    box.set_label(str(part))");
    e->python.depth--;
    python_line(&e->python, "result = names");
    emit_box_ticks(e, "range(len(names))");
    emit_legend(e);
}

static void
emit_plain_boxes(struct emitter *e)
{
    python_line(&e->python, "fig, ax = plt.subplots()");
    python_line(&e->python, "ax.boxplot(result)");
    emit_box_ticks(e, "range(1, len(result) + 1)");
}

void
emit_boxes(struct emitter *e)
{
    const struct plan *plan = e->plan;
    bool has_groups = plan->x >= 0 && plan->x != plan->y;

    if (has_groups) {
        python_line(&e->python, "groups = %s", emit_key(e, plan->x, true));
        python_line(&e->python, "values = %s", emit_measure(e, plan->y));
        if (plan->series >= 0) {
            emit_parts(e, "");
            python_line(&e->python, "parts = names");
        }
        emit_box_names(e);
    }
    if (has_groups && plan->series < 0) {
        python_line(&e->python,
                    "result = [values[groups == name].dropna() for name in names]");
    } else if (!has_groups) {
        python_line(&e->python, "result = [%s.dropna()]", emit_measure(e, plan->y));
        python_line(&e->python, "names = [%s]", emit_label(e, plan->y));
    }
    python_blank(&e->python);
    if (has_groups && plan->series >= 0)
        emit_box_clusters(e);
    else
        emit_plain_boxes(e);
}
