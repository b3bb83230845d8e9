/*
 * The second half of a chart's program: what is drawn.
 */
#include <ctype.h>

#include "bridge/planner/emit/emitter.h"

static bool
is_continuous(const struct emitter *e)
{
    const struct column *x = &e->frame->column[e->plan->x];

    if (e->plan->grain == GRAIN_WEEKDAY)
        return false;
    return x->kind == COLUMN_NUMBER || x->kind == COLUMN_DATE || e->plan->grain;
}

/* Two dollar signs in a tick's name would be a formula. */
static bool
may_have_dollars(const struct column *column)
{
    size_t at;
    json_t *value;

    if (column->kind != COLUMN_TEXT)
        return false;
    json_array_foreach (column->values, at, value)
        if (json_is_string(value) && strchr(json_string_value(value), '$'))
            return true;
    return json_array_size(column->values) == 0;
}

/* Dates of a grain are shown as far as they matter. */
static const char *
names_of(struct emitter *e)
{
    static const char *const formats[] = {
        [GRAIN_QUARTER] = "%Y-%m",
        [GRAIN_MONTH] = "%Y-%m",
        [GRAIN_WEEK] = "%Y-%m-%d",
        [GRAIN_DAY] = "%Y-%m-%d",
    };
    const char *format =
        e->plan->grain < COUNT_OF(formats) ? formats[e->plan->grain] : NULL;

    if (format)
        return arena_printf(e->arena, "result.index.strftime(\"%s\")", format);
    if (may_have_dollars(&e->frame->column[e->plan->x]))
        return "[str(name).replace(\"$\", r\"\\$\") for name in result.index]";
    return "result.index.astype(str)";
}

/* Many names stand upright, so that they do not run into each other. */
void
emit_turn(struct emitter *e, int column)
{
    json_int_t names = column >= 0 ? e->frame->column[column].unique : -1;

    if (names >= 0 && names <= CROWDED)
        return;
    python_line(&e->python, "if len(result) > %d:", CROWDED);
    python_line(&e->python, "    ax.tick_params(axis=\"x\", labelrotation=90)");
}

static void
emit_ticks(struct emitter *e, const char *names)
{
    python_line(&e->python, "ax.set_xticks(range(len(result)), %s)", names);
    emit_turn(e, e->plan->x);
}

void
emit_labels(struct emitter *e, const char *y)
{
    const struct plan *plan = e->plan;

    python_line(&e->python, "ax.set(title=%s, xlabel=%s, ylabel=%s)",
                emit_title_label(e), emit_label(e, plan->x), y);
    if (plan->style.is_log)
        python_line(&e->python, "ax.set_yscale(\"log\")");
}

/* The asker's, or in words, with a capital letter. */
const char *
emit_title_label(struct emitter *e)
{
    const struct style *style = &e->plan->style;
    char *title = style->title ? arena_printf(e->arena, "%s", style->title)
                               : emit_title(e->plan, e->frame, e->lexicon, e->arena);

    if (!style->title)
        *title = (char)toupper((unsigned char)*title);
    return python_label(e->arena, title);
}

const char *
emit_colour(struct emitter *e)
{
    const char *colour = e->plan->style.colour;

    return colour ? arena_printf(e->arena, ", color=%s", python_text(e->arena, colour))
                  : "";
}

void
emit_legend(struct emitter *e)
{
    python_line(&e->python, "ax.legend(title=%s)", emit_label(e, e->plan->series));
}

const char *
emit_measure_label(struct emitter *e)
{
    return python_label(e->arena, emit_measure_name(e));
}

/* --- bars --- */

static void
emit_stacks(struct emitter *e)
{
    python_line(&e->python, "bottom = 0 * result.sum(axis=1)");
    python_line(&e->python, "for name in result:");
    python_line(&e->python, "    heights = result[name].fillna(0)");
    python_line(
        &e->python,
        "    ax.bar(range(len(result)), heights, bottom=bottom, label=str(name))");
    python_line(&e->python, "    bottom = bottom + heights");
}

static void
emit_clusters(struct emitter *e)
{
    python_line(&e->python, "width = 0.8 / max(len(result.columns), 1)");
    python_line(&e->python, "for at, name in enumerate(result):");
    python_line(&e->python, "    places = [place - 0.4 + (at + 0.5) * width "
                            "for place in range(len(result))]");
    python_line(&e->python, "    ax.bar(places, result[name], width, label=str(name))");
}

static void
emit_bars(struct emitter *e)
{
    const struct plan *plan = e->plan;

    emit_result(e);
    python_blank(&e->python);
    python_line(&e->python, "fig, ax = plt.subplots()");
    if (plan->series < 0)
        python_line(&e->python, "ax.bar(range(len(result)), result)");
    else if (plan->layout == LAYOUT_STACKED)
        emit_stacks(e);
    else
        emit_clusters(e);
    emit_ticks(e, names_of(e));
    emit_labels(e, emit_measure_label(e));
    if (plan->series >= 0)
        emit_legend(e);
}

/* --- lines --- */

static void
emit_lines(struct emitter *e)
{
    const char *x = is_continuous(e) ? "result.index" : "range(len(result))";

    emit_result(e);
    python_blank(&e->python);
    python_line(&e->python, "fig, ax = plt.subplots()");
    if (e->plan->series < 0) {
        python_line(&e->python, "ax.plot(%s, result, marker=\".\")", x);
    } else {
        python_line(&e->python, "for name in result:");
        python_line(&e->python,
                    "    ax.plot(%s, result[name], marker=\".\", label=str(name))", x);
    }
    if (!is_continuous(e))
        emit_ticks(e, names_of(e));
    else if (e->frame->column[e->plan->x].kind == COLUMN_DATE)
        python_line(&e->python, "fig.autofmt_xdate()");
    emit_labels(e, emit_measure_label(e));
    if (e->plan->series >= 0)
        emit_legend(e);
}

/* --- several numbers: a panel each, above one axis --- */

static void
emit_stacked_panels(struct emitter *e)
{
    bool is_line = e->plan->mark == MARK_LINE, is_plain = is_line && is_continuous(e);

    emit_measures(e);
    python_blank(&e->python);
    python_line(&e->python,
                "fig, axes = plt.subplots(len(result.columns), sharex=True, "
                "figsize=(6.4, 2.4 * len(result.columns)))");
    python_line(&e->python, "for ax, name in zip(axes, result):");
    python_line(&e->python, "    ax.%s(%s, result[name]%s)", is_line ? "plot" : "bar",
                is_plain ? "result.index" : "range(len(result))",
                is_line ? ", marker=\".\"" : "");
    python_line(&e->python, "    ax.set_ylabel(name.replace(\"$\", r\"\\$\"))");
    if (!is_plain)
        emit_ticks(e, names_of(e));
    else if (e->frame->column[e->plan->x].kind == COLUMN_DATE)
        python_line(&e->python, "fig.autofmt_xdate()");
    python_line(&e->python, "ax.set_xlabel(%s)", emit_label(e, e->plan->x));
}

/* --- points --- */

const char *
emit_axis_values(struct emitter *e, int column)
{
    const struct column *about = &e->frame->column[column];

    if (about->kind == COLUMN_DATE)
        return emit_key(e, column, false);
    if (column_is_number(about))
        return emit_measure(e, column);
    return arena_printf(e->arena, "%s.astype(str)", emit_column(e, column));
}

static bool
are_numbers(const struct emitter *e)
{
    return column_is_number(&e->frame->column[e->plan->x]) &&
           column_is_number(&e->frame->column[e->plan->y]);
}

static void
emit_points_frame(struct emitter *e)
{
    const struct plan *plan = e->plan;

    python_line(&e->python, "points = pd.DataFrame({");
    python_line(&e->python, "    \"x\": %s,", emit_axis_values(e, plan->x));
    python_line(&e->python, "    \"y\": %s,", emit_axis_values(e, plan->y));
    if (plan->series >= 0)
        python_line(&e->python, "    \"series\": %s,",
                    emit_key(e, plan->series, false));
    python_line(&e->python, "}).dropna()");
    if (plan->series < 0 && are_numbers(e))
        python_line(&e->python,
                    "print(%s, round(points[\"x\"].corr(points[\"y\"]), 3))",
                    python_text(e->arena, emit_say(e, "code.correlation", NULL, NULL)));
    if (e->frame->rows < 0 || e->frame->rows > POINTS_MAX) {
        python_line(&e->python, "if len(points) > %d:", POINTS_MAX);
        python_line(&e->python, "    points = points.sample(%d, random_state=0)",
                    POINTS_MAX);
        python_line(&e->python, "    print(%s)",
                    python_text(e->arena, emit_say(e, "code.sampled", NULL, NULL)));
    }
    if (plan->series >= 0 && emit_many(e, plan->series, SERIES_MAX)) {
        python_comment(
            &e->python,
            emit_say(e, "code.fold", arena_printf(e->arena, "%d", SERIES_MAX), NULL));
        python_line(&e->python,
                    "largest = points[\"series\"].value_counts().index[:%d]",
                    SERIES_MAX);
        python_line(&e->python,
                    "points[\"series\"] = points[\"series\"].astype(object).where("
                    "points[\"series\"].isin(largest), %s)",
                    python_text(e->arena, emit_say(e, "code.other", NULL, NULL)));
    }
}

static void
emit_panels(struct emitter *e)
{
    python_line(&e->python, "groups = list(points.groupby(\"series\", observed=True))");
    python_line(&e->python,
                "fig, axes = plt.subplots(1, max(len(groups), 1), sharex=True, "
                "sharey=True, squeeze=False,");
    python_line(&e->python,
                "                         figsize=(max(6.4, 3.2 * len(groups)), 4))");
    python_line(&e->python, "for ax, (name, part) in zip(axes[0], groups):");
    python_line(&e->python,
                "    ax.scatter(part[\"x\"], part[\"y\"], s=14, alpha=0.6)");
    python_line(&e->python, "    ax.set_title(str(name).replace(\"$\", r\"\\$\"))");
    python_line(&e->python, "    ax.set_xlabel(%s)", emit_label(e, e->plan->x));
    python_line(&e->python, "axes[0][0].set_ylabel(%s)", emit_label(e, e->plan->y));
}

static void
emit_counted_points(struct emitter *e)
{
    emit_result(e);
    python_blank(&e->python);
    python_line(&e->python, "fig, ax = plt.subplots()");
    if (is_continuous(e)) {
        python_line(&e->python, "ax.scatter(result.index, result)");
    } else {
        python_line(&e->python, "ax.scatter(range(len(result)), result)");
        emit_ticks(e, names_of(e));
    }
    emit_labels(e, emit_measure_label(e));
}

static void
emit_points(struct emitter *e)
{
    const struct plan *plan = e->plan;

    if (plan->y < 0 || plan->aggregate != AGG_NONE) {
        emit_counted_points(e);
        return;
    }
    emit_points_frame(e);
    python_blank(&e->python);
    if (plan->layout == LAYOUT_FACETED && plan->series >= 0) {
        emit_panels(e);
        return;
    }
    python_line(&e->python, "fig, ax = plt.subplots()");
    if (plan->series < 0) {
        python_line(&e->python,
                    "ax.scatter(points[\"x\"], points[\"y\"], s=14, alpha=0.6%s)",
                    emit_colour(e));
    } else {
        python_line(&e->python,
                    "for name, part in points.groupby(\"series\", observed=True):");
        python_line(&e->python,
                    "    ax.scatter(part[\"x\"], part[\"y\"], s=14, alpha=0.6, "
                    "label=str(name))");
    }
    emit_labels(e, emit_label(e, plan->y));
    if (plan->series >= 0)
        emit_legend(e);
}

/* --- pies and maps of heat --- */

static void
emit_pie(struct emitter *e)
{
    emit_result(e);
    python_line(&e->python, "result = result[result > 0]");
    if (e->plan->y >= 0 && e->frame->column[e->plan->y].has_infinite)
        python_line(&e->python, "result = result[result < float(\"inf\")]");
    python_blank(&e->python);
    python_line(&e->python, "if result.empty:");
    python_line(&e->python, "    print(%s)",
                python_text(e->arena, emit_say(e, "code.noslices", NULL, NULL)));
    python_line(&e->python, "else:");
    e->python.depth++;
    python_line(&e->python, "fig, ax = plt.subplots()");
    python_line(&e->python,
                "ax.pie(result / result.sum(), labels=%s, autopct=\"%%.1f%%%%\")",
                names_of(e));
    python_line(&e->python, "ax.set_title(%s)", emit_title_label(e));
}

static void
emit_map(struct emitter *e, const char *columns, const char *rows)
{
    python_line(&e->python, "fig, ax = plt.subplots()");
    python_line(&e->python, "image = ax.imshow(result.astype(float), aspect=\"auto\")");
    python_line(&e->python,
                "ax.set_xticks(range(len(result.columns)), %s, rotation=90)", columns);
    python_line(&e->python, "ax.set_yticks(range(len(result)), %s)", rows);
    python_line(&e->python, "fig.colorbar(image, ax=ax)");
}

static const char *const column_names =
    "[str(name).replace(\"$\", r\"\\$\") for name in result.columns]";
static const char *const row_names =
    "[str(name).replace(\"$\", r\"\\$\") for name in result.index]";

static void
emit_heatmap(struct emitter *e)
{
    if (e->plan->intent == INTENT_CORRELATION) {
        python_line(&e->python, "result = %s.corr(numeric_only=True)", e->source);
        python_blank(&e->python);
        emit_map(e, column_names, row_names);
        python_line(&e->python, "result");
        return;
    }
    emit_result(e);
    python_blank(&e->python);
    emit_map(e, column_names, row_names);
    python_line(&e->python, "ax.set_xlabel(%s)", emit_label(e, e->plan->series));
    python_line(&e->python, "ax.set_ylabel(%s)", emit_label(e, e->plan->x));
}

/* A chart without a case does not compile. */
static void
emit_mark(struct emitter *e)
{
    switch (e->plan->mark) {
    case MARK_BAR:
        emit_bars(e);
        return;
    case MARK_LINE:
        emit_lines(e);
        return;
    case MARK_SCATTER:
        emit_points(e);
        return;
    case MARK_HISTOGRAM:
        emit_histogram(e);
        return;
    case MARK_BOX:
        emit_boxes(e);
        return;
    case MARK_PIE:
        emit_pie(e);
        return;
    case MARK_HEATMAP:
        emit_heatmap(e);
        return;
    case MARK_NONE:
        return;
    }
}

void
emit_chart(struct emitter *e)
{
    if (e->plan->alsos)
        emit_stacked_panels(e);
    else
        emit_mark(e);
}
