/* The picture of a result, in a style of our own: few lines, colours that can be told
 * apart, a bounded size. */
#include "bridge/planner/program/program.h"

enum {
    BARS_MAX = 40,   /* more are a table */
    LONG_LABEL = 10, /* letters; longer ones lie */
    MANY_BARS = 10,
    LABEL_MAX = 80, /* bytes of a title or an axis' name */
};

static void
open_style(struct program *p)
{
    static const char *const lines[] = {
        "style = {",
        "    \"axes.spines.top\": False, \"axes.spines.right\": False, \"axes.grid\": "
        "True,",
        "    \"grid.alpha\": 0.3, \"axes.axisbelow\": True, \"axes.titlelocation\": "
        "\"left\",",
        "    \"legend.frameon\": False, \"figure.constrained_layout.use\": True,",
        "    \"axes.prop_cycle\": plt.cycler(color=[",
        "        \"#0072B2\", \"#E69F00\", \"#009E73\", \"#CC79A7\", \"#56B4E9\", "
        "\"#D55E00\",",
        "        \"#F0E442\", \"#999999\"]),",
        "}",
    };

    for (size_t i = 0; i < COUNT_OF(lines); i++)
        python_line(&p->python, "%s", lines[i]);
    python_line(&p->python, "with plt.rc_context(style):");
    p->python.depth++;
}

/* Long names would leave no room for the picture. */
static const char *
label_of(struct program *p, const char *text)
{
    size_t len = strlen(text);

    if (len <= LABEL_MAX)
        return python_label(p->arena, text);
    len = LABEL_MAX;
    while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--; /* to the start of a character */
    return python_label(p->arena, arena_printf(p->arena, "%.*s…", (int)len, text));
}

static const char *
title_of(struct program *p)
{
    const char *title =
        p->query->title ? p->query->title : query_title(p->arena, p->query);

    return label_of(p, title);
}

static const char *
measure_of(struct program *p)
{
    const struct amount *amount = &p->query->amount[0];
    bool percent = p->query->share || amount->reduce == REDUCE_RATE ||
                   p->query->along == ALONG_PERCENT ||
                   p->query->along == ALONG_YEAR_BEFORE;
    const char *name = program_amount_name(p, 0);

    return label_of(p, p->query->share ? arena_printf(p->arena, "%s, in percent", name)
                       : percent && amount->reduce != REDUCE_RATE
                           ? arena_printf(p->arena, "%s, change in percent", name)
                           : name);
}

static bool
is_long(const struct program *p)
{
    const struct value *key = p->query->key[0];
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

static void
write_names(struct program *p)
{
    python_line(&p->python, "names = [str(name).replace(\"$\", r\"\\$\") for name in "
                            "result.index]");
}

static void
finish(struct program *p, const char *x, const char *y)
{
    python_line(&p->python, "ax.set_title(%s)", title_of(p));
    python_line(&p->python, "ax.set_xlabel(%s)", x);
    python_line(&p->python, "ax.set_ylabel(%s)", y);
}

static const char *
key_label(struct program *p, unsigned at)
{
    return label_of(p, query_value_name(p->arena, p->frame, p->query->key[at]));
}

static void
thousands(struct program *p, const char *axis)
{
    python_line(&p->python, "ax.%s.set_major_formatter(\"{x:,g}\")", axis);
}

static void
single_bars(struct program *p)
{
    bool lies = p->query->is_horizontal ||
                (is_long(p) && !query_value_is_time(p->frame, p->query->key[0]));

    write_names(p);
    python_line(&p->python, lies ? "fig, ax = plt.subplots(figsize=(7, min(1.2 + 0.3 * "
                                   "len(result), 10)))"
                                 : "fig, ax = plt.subplots(figsize=(7, 4))");
    python_line(&p->python, "bars = ax.%s(range(len(result)), result)",
                lies ? "barh" : "bar");
    python_line(&p->python, "ax.set_%sticks(range(len(result)), names)",
                lies ? "y" : "x");
    if (lies)
        python_line(&p->python, "ax.invert_yaxis()");
    else
        python_line(&p->python,
                    "ax.tick_params(axis=\"x\", labelrotation=45 if len(result) > 8 "
                    "else 0)");
    python_line(&p->python, "ax.grid(axis=\"%s\", visible=False)", lies ? "y" : "x");
    python_line(&p->python, "if len(result) <= 12:");
    python_line(&p->python,
                "    ax.bar_label(bars, fmt=\"{:,.4g}\".format, padding=2)");
    thousands(p, lies ? "xaxis" : "yaxis");
    if (p->query->is_log)
        python_line(&p->python, "ax.set_%sscale(\"log\")", lies ? "x" : "y");
    finish(p, lies ? measure_of(p) : key_label(p, 0),
           lies ? key_label(p, 0) : measure_of(p));
}

static unsigned
series_key(const struct program *p)
{
    return query_value_is_time(p->frame, p->query->key[1]) && p->query->keys == 2 ? 0
                                                                                  : 1;
}

static void
many_bars(struct program *p)
{
    bool lies = p->query->is_horizontal;
    unsigned series = series_key(p);

    python_line(&p->python, "fig, ax = plt.subplots(figsize=(8, 4.5))");
    python_line(&p->python, "shown = result.set_axis(result.index.astype(str))");
    python_line(&p->python, "shown.plot.%s(ax=ax, stacked=%s, width=0.8%s)",
                lies ? "barh" : "bar",
                p->query->layout == LAYOUT_STACKED ? "True" : "False",
                lies ? "" : ", rot=45");
    python_line(&p->python,
                "ax.legend(title=%s, loc=\"upper left\", bbox_to_anchor=(1, 1))",
                key_label(p, series));
    thousands(p, lies ? "xaxis" : "yaxis");
    finish(p, lies ? measure_of(p) : key_label(p, !series),
           lies ? key_label(p, !series) : measure_of(p));
}

/* The last period is not over: its point is not to be compared. */
static void
mark_unfinished(struct program *p)
{
    const struct value *key = p->query->key[0];

    if (key->kind != VALUE_PART || key->part == PART_YEAR || key->part == PART_DAY ||
        p->query->keys > 1)
        return;
    python_line(&p->python, "end = %s.max()", program_date(p, key->left));
    python_line(&p->python, "if end < result.index[-1].end_time.normalize():");
    python_line(&p->python,
                "    ax.axvspan(x[-1] - (x[-1] - x[0]) * 0.01, x[-1], alpha=0.15, "
                "label=%s)",
                program_text(p, "unfinished"));
    python_line(&p->python, "    print(result.index[-1], %s, end.date())",
                program_text(p, "is not complete: the data end on"));
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

    python_line(&p->python, "fig, ax = plt.subplots(figsize=(8, 4))");
    python_line(&p->python, "x = result.index%s",
                is_period ? ".to_timestamp()"
                : is_text ? ".astype(str)"
                          : "");
    if (p->is_wide) {
        python_line(&p->python, "for name in result:");
        python_line(&p->python,
                    "    ax.plot(x, result[name], marker=\".\", label=str(name))");
        python_line(&p->python,
                    "ax.legend(title=%s, loc=\"upper left\", bbox_to_anchor=(1, 1))",
                    key_label(p, keys > 1 ? !time : 0));
    } else {
        python_line(&p->python, "ax.plot(x, result, marker=\".\")");
        if (is_period && time == 0)
            mark_unfinished(p);
    }
    thousands(p, "yaxis");
    if (p->query->is_log)
        python_line(&p->python, "ax.set_yscale(\"log\")");
    finish(p, key_label(p, time), measure_of(p));
}

static void
pie(struct program *p)
{
    write_names(p);
    python_line(&p->python, "fig, ax = plt.subplots(figsize=(6, 4.5))");
    python_line(&p->python, "ax.pie(result, labels=names, autopct=\"%%.1f%%%%\")");
    python_line(&p->python, "ax.set_title(%s)", title_of(p));
}

static void
heatmap(struct program *p)
{
    python_line(&p->python, "fig, ax = plt.subplots(figsize=(8, 5))");
    python_line(&p->python,
                "image = ax.imshow(result, aspect=\"auto\", cmap=\"viridis\")");
    python_line(&p->python, "ax.grid(False)");
    python_line(&p->python,
                "ax.set_yticks(range(len(result)), result.index.astype(str))");
    python_line(&p->python, "ax.set_xticks(range(len(result.columns)), "
                            "result.columns.astype(str), rotation=90)");
    python_line(&p->python, "fig.colorbar(image, label=%s)", measure_of(p));
    finish(p, key_label(p, series_key(p)), key_label(p, !series_key(p)));
}

enum {
    POINTS_MAX = 20000,
};

void
program_points(struct program *p)
{
    const struct amount *amount = &p->query->amount[0];
    const char *x = label_of(p, query_value_name(p->arena, p->frame, amount->with));
    const char *y = label_of(p, query_value_name(p->arena, p->frame, amount->of));

    python_line(&p->python, "points = pd.DataFrame({\"x\": %s, \"y\": %s}).dropna()",
                program_number(p, amount->with), program_number(p, amount->of));
    python_line(&p->python, "answer = points[\"x\"].corr(points[\"y\"])");
    python_line(
        &p->python, "print(%s, format(answer, \".3f\"))",
        program_text(p, arena_printf(p->arena, "%s:", program_amount_name(p, 0))));
    python_line(&p->python,
                "points = points.sample(min(len(points), %d), random_state=0)",
                POINTS_MAX);
    python_blank(&p->python);
    open_style(p);
    python_line(&p->python, "fig, ax = plt.subplots(figsize=(6, 4.5))");
    python_line(&p->python,
                "ax.scatter(points[\"x\"], points[\"y\"], s=12, alpha=0.5)");
    finish(p, x, y);
    p->python.depth--;
}

void
program_chart(struct program *p)
{
    enum plan_mark mark = p->query->mark;

    python_blank(&p->python);
    python_line(&p->python, "if len(result):"); /* no rows, no picture */
    p->python.depth++;
    open_style(p);
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
    p->python.depth -= 2;
}
