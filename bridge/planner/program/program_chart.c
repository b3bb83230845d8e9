/* The picture of a result: what is drawn, and its words. How it looks (lines, colours,
 * grids) is the style sheet's, which the sandbox has for answers. */
#include "bridge/planner/program/program.h"

enum {
    LONG_LABEL = 10, /* letters; longer ones lie */
    MANY_BARS = 10,
    POINTS_MAX = 20000,
};

static bool
is_long(const struct program *p, unsigned which)
{
    const struct value *key = p->query->key[which];
    const struct column *column =
        key->kind == VALUE_COLUMN ? &p->frame->column[key->column] : NULL;
    size_t at;
    json_t *name;

    if (!column || column->kind != COLUMN_TEXT)
        return key->kind != VALUE_COLUMN && key->kind != VALUE_PART;
    json_array_foreach (column->values, at, name)
        if (json_string_length(name) > LONG_LABEL)
            return true;
    return column->unique > MANY_BARS || column->unique < 0;
}

/* Two dollar signs in a name would be a formula. */
static bool
may_have_dollars(const struct program *p, const struct value *key)
{
    const struct column *column =
        key->kind == VALUE_COLUMN ? &p->frame->column[key->column] : NULL;
    size_t at;
    json_t *name;

    if (!column || (column->kind != COLUMN_TEXT && column->kind != COLUMN_OTHER))
        return key->kind == VALUE_TEST;
    json_array_foreach (column->values, at, name)
        if (json_is_string(name) && strchr(json_string_value(name), '$'))
            return true;
    return json_array_size(column->values) == 0;
}

static const char *
names_of(struct program *p, const struct value *key, const char *index)
{
    if (p->query->keys > 1 && !p->is_wide)
        return arena_printf(p->arena,
                            "[\", \".join(map(str, names)).replace(\"$\", r\"\\$\") "
                            "for names in %s]",
                            index);
    return arena_printf(p->arena,
                        may_have_dollars(p, key)
                            ? "[str(name).replace(\"$\", r\"\\$\") for name in %s]"
                            : "%s.astype(str)",
                        index);
}

static const char *
colour_of(struct program *p)
{
    const char *colour = p->query->style.colour;

    return colour ? arena_printf(p->arena, ", color=%s", python_text(p->arena, colour))
                  : "";
}

static void
finish(struct program *p, const char *x, const char *y)
{
    python_line(&p->python, "ax.set(title=%s, xlabel=%s, ylabel=%s)", program_title(p),
                x, y);
}

/* The axis of the numbers: its unit, and its scale. */
static void
measure_axis(struct program *p, char axis)
{
    if (program_has_unit(p))
        python_line(&p->python, "ax.%caxis.set_major_formatter(%s)", axis,
                    python_label(p->arena, program_number_format(p, "x", true)));
    if (p->query->style.is_log)
        python_line(&p->python, "ax.set_%cscale(\"log\")", axis);
}

static void
single_bars(struct program *p)
{
    bool lies = p->query->style.is_horizontal ||
                (is_long(p, 0) && !query_value_is_time(p->frame, p->query->key[0]));
    bool is_labelled = p->query->style.has_labels;

    python_line(&p->python, lies ? "fig, ax = plt.subplots(figsize=(7, min(1.2 + 0.3 * "
                                   "len(result), 10)))"
                                 : "fig, ax = plt.subplots()");
    python_line(&p->python, "bars = ax.%s(range(len(result)), result, tick_label=%s%s)",
                lies ? "barh" : "bar", names_of(p, p->query->key[0], "result.index"),
                colour_of(p));
    if (lies)
        python_line(&p->python, "ax.invert_yaxis()");
    if (!is_labelled)
        python_line(&p->python, "if len(result) <= 12:");
    python_line(&p->python, "%sax.bar_label(bars, fmt=%s, padding=2)",
                is_labelled ? "" : "    ",
                python_label(p->arena, program_number_format(p, "", false)));
    measure_axis(p, lies ? 'x' : 'y');
    finish(p, lies ? program_measure_label(p) : program_key_label(p, 0),
           lies ? program_key_label(p, 0) : program_measure_label(p));
}

static unsigned
series_key(const struct program *p)
{
    return query_value_is_time(p->frame, p->query->key[1]) && p->query->keys == 2 ? 0
                                                                                  : 1;
}

static void
legend(struct program *p, unsigned key)
{
    python_line(&p->python,
                "ax.legend(title=%s, loc=\"upper left\", bbox_to_anchor=(1, 1))",
                program_key_label(p, key));
}

static void
many_bars(struct program *p)
{
    bool is_stacked = p->query->layout == LAYOUT_STACKED;
    unsigned series = series_key(p);
    bool lies =
        p->query->style.is_horizontal ||
        (is_long(p, !series) && !query_value_is_time(p->frame, p->query->key[!series]));

    python_line(&p->python, "fig, ax = plt.subplots()");
    python_line(&p->python, "shown = result.set_axis(%s)",
                names_of(p, p->query->key[!series], "result.index"));
    python_line(&p->python, "shown.plot.%s(ax=ax, stacked=%s, width=0.8%s)",
                lies ? "barh" : "bar", is_stacked ? "True" : "False",
                lies ? "" : ", rot=0");
    if (lies)
        python_line(&p->python, "ax.invert_yaxis()");
    if (p->query->style.has_labels) {
        python_line(&p->python, "for bars in ax.containers:");
        python_line(&p->python, "    ax.bar_label(bars, fmt=%s%s)",
                    python_label(p->arena, program_number_format(p, "", false)),
                    is_stacked ? ", label_type=\"center\"" : "");
    }
    legend(p, series);
    measure_axis(p, lies ? 'x' : 'y');
    finish(p, lies ? program_measure_label(p) : program_key_label(p, !series),
           lies ? program_key_label(p, !series) : program_measure_label(p));
}

/* The last period is not over: its point is not to be compared. */
static void
mark_unfinished(struct program *p, const struct value *key)
{
    if (key->kind != VALUE_PART || key->part == PART_YEAR || key->part == PART_DAY)
        return;
    const char *rows = p->rows;
    p->rows = p->all_rows; /* those of 2024 end with that year, and not with the data */
    python_line(&p->python, "end = %s.max()", program_date(p, key->left));
    p->rows = rows;
    python_line(&p->python,
                "if len(x) > 1 and end < result.index[-1].end_time.normalize():");
    python_line(&p->python, "    ax.axvspan(x[-2], x[-1], color=\"gray\", alpha=0.15)");
    python_line(&p->python, "    print(result.index[-1], %s, end.date())",
                program_text(p, program_say(p, "code.notcomplete", NULL)));
}

static void
lines(struct program *p)
{
    unsigned keys = p->query->keys;
    unsigned time = keys > 1 && query_value_is_time(p->frame, p->query->key[1]) ? 1 : 0;
    const struct value *key = p->query->key[time];
    bool is_period =
        key->kind == VALUE_PART && key->part >= PART_QUARTER && key->part <= PART_DAY;
    bool is_text = key->kind == VALUE_PART &&
                   (key->part == PART_WEEKDAY || key->part == PART_MONTH_NAME ||
                    key->part == PART_SEASON);

    python_line(&p->python, "fig, ax = plt.subplots()");
    python_line(&p->python, "x = result.index%s",
                is_period ? ".to_timestamp()"
                : is_text ? ".astype(str)"
                          : "");
    if (p->is_wide) {
        python_line(&p->python, "for name in result:");
        python_line(&p->python,
                    "    ax.plot(x, result[name], marker=\".\", label=str(name))");
        legend(p, keys > 1 ? !time : 0);
    } else {
        python_line(&p->python, "ax.plot(x, result, marker=\".\"%s)", colour_of(p));
    }
    if (is_period)
        mark_unfinished(p, key);
    measure_axis(p, 'y');
    finish(p, program_key_label(p, time), program_measure_label(p));
}

static void
pie(struct program *p)
{
    if (p->query->amount[0].per || p->query->amount[0].reduce == REDUCE_STD)
        python_line(&p->python, "result = result.dropna()"); /* no wedge */
    python_line(&p->python, "fig, ax = plt.subplots()");
    python_line(&p->python, "ax.pie(result, labels=%s, autopct=\"%%.1f%%%%\")",
                names_of(p, p->query->key[0], "result.index"));
    python_line(&p->python, "ax.set_title(%s)", program_title(p));
}

static void
heatmap(struct program *p)
{
    python_line(&p->python, "fig, ax = plt.subplots()");
    python_line(&p->python, "image = ax.imshow(result, aspect=\"auto\")");
    python_line(&p->python, "ax.grid(False)");
    python_line(&p->python,
                "ax.set_yticks(range(len(result)), result.index.astype(str))");
    python_line(&p->python, "ax.set_xticks(range(len(result.columns)), "
                            "result.columns.astype(str), rotation=90)");
    python_line(&p->python, "fig.colorbar(image, label=%s)", program_measure_label(p));
    finish(p, program_key_label(p, series_key(p)),
           program_key_label(p, !series_key(p)));
}

void
program_points(struct program *p)
{
    const struct amount *amount = &p->query->amount[0];

    python_line(&p->python, "points = pd.DataFrame({\"x\": %s, \"y\": %s}).dropna()",
                program_number(p, amount->with), program_number(p, amount->of));
    python_line(&p->python, "answer = points[\"x\"].corr(points[\"y\"])");
    python_line(
        &p->python, "print(%s, format(answer, \".3f\"))",
        program_text(p, arena_printf(p->arena, "%s:", program_amount_words(p, 0))));
    python_line(&p->python,
                "points = points.sample(min(len(points), %d), random_state=0)",
                POINTS_MAX);
    python_blank(&p->python);
    python_line(&p->python, "fig, ax = plt.subplots()");
    python_line(&p->python,
                "ax.scatter(points[\"x\"], points[\"y\"], s=12, alpha=0.5)");
    finish(
        p,
        program_label_of(p, query_value_name(p->arena, p->spoken->frame, amount->with)),
        program_label_of(p, query_value_name(p->arena, p->spoken->frame, amount->of)));
}

/* Whether there may be no group left to draw. */
static bool
may_be_empty(const struct query *query)
{
    return query->tests || query->having.is_there || query->along || query->parts ||
           query->rank.is_there;
}

void
program_chart(struct program *p)
{
    enum plan_mark mark = p->query->mark;
    bool is_guarded = may_be_empty(p->query);

    python_blank(&p->python);
    if (is_guarded) {
        python_line(&p->python, "if len(result):"); /* no rows, no picture */
        p->python.depth++;
    }
    if (mark == MARK_HEATMAP)
        heatmap(p);
    else if (mark == MARK_PIE)
        pie(p);
    else if (mark == MARK_LINE)
        lines(p);
    else if (p->is_wide)
        many_bars(p);
    else
        single_bars(p);
    if (is_guarded)
        p->python.depth--;
}
