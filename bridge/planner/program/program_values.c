/* Expressions for what rows have: cells, numbers, dates, keys. */
#include "bridge/planner/program/program.h"

#include <math.h>

static const struct column *
at(const struct program *p, int column)
{
    return &p->frame->column[column];
}

static bool
has_label(const struct program *p, int column)
{
    return !at(p, column)->is_duplicate && !at(p, column)->key;
}

const char *
program_text(struct program *p, const char *text)
{
    return python_text(p->arena, text);
}

const char *
program_say(struct program *p, const char *key, const char *about)
{
    const char *args[] = {about ? about : ""};

    return lexicon_say(p->lexicon, p->arena, key, args, COUNT_OF(args));
}

const char *
program_cells(struct program *p, int column)
{
    if (has_label(p, column))
        return arena_printf(p->arena, "%s[%s]", p->rows,
                            program_text(p, at(p, column)->name));
    return arena_printf(p->arena, "%s.iloc[:, %d]", p->rows, column);
}

bool
program_is_flag(const struct column *column)
{
    return column->yes != NULL || column_is_binary(column);
}

/* True and false of 0/1, yes/no; a text of two such values compares with its yes. */
const char *
program_flag(struct program *p, int column)
{
    const struct column *about = at(p, column);
    const char *cells = program_cells(p, column);

    if (about->kind == COLUMN_BOOL && about->nulls == 0)
        return cells;
    if (about->yes)
        return arena_printf(p->arena, "%s.astype(str).str.strip().str.lower()%s == %s",
                            cells, about->has_both_yes ? ".str[:1]" : "",
                            program_text(p, about->yes));
    return arena_printf(p->arena, "%s == %s", cells,
                        about->kind == COLUMN_BOOL ? "True" : "1");
}

static const char *
column_number(struct program *p, int column)
{
    const struct column *about = at(p, column);
    const char *cells = program_cells(p, column);

    if (about->is_measured)
        return column_measured(p->arena, about, cells);
    if (about->yes || about->kind == COLUMN_BOOL)
        return arena_printf(p->arena, "(%s).astype(float)", program_flag(p, column));
    if (about->kind == COLUMN_NUMBER)
        return about->is_nullable ? arena_printf(p->arena, "%s.astype(float)", cells)
                                  : cells;
    return arena_printf(p->arena, "pd.to_numeric(%s, errors=\"coerce\")", cells);
}

/* A percentage counts as the part that it is where it is multiplied. */
static const char *
factor(struct program *p, const struct value *value)
{
    const char *number = program_number(p, value);

    if (value->kind == VALUE_COLUMN && at(p, value->column)->is_percent)
        return arena_printf(p->arena, "%s / 100", number);
    return number;
}

/* A span of time as a number of its unit. */
static const char *
in_unit(struct program *p, const char *span, enum query_part part)
{
    if (part == PART_YEAR)
        return arena_printf(p->arena, "%s.dt.days / 365.25", span);
    if (part == PART_MONTH)
        return arena_printf(p->arena, "%s.dt.days / 30.4375", span);
    return arena_printf(p->arena, "%s.dt.total_seconds() / %s", span,
                        part == PART_MINUTE ? "60"
                        : part == PART_HOUR ? "3600"
                        : part == PART_WEEK ? "604800"
                                            : "86400");
}

static const char *
duration(struct program *p, const struct value *value)
{
    return in_unit(p,
                   arena_printf(p->arena, "(%s - %s)", program_date(p, value->right),
                                program_date(p, value->left)),
                   value->part);
}

/* Rows keep their labels, so that what they have fits whatever else is known of them.
 */
static const char *
gap(struct program *p, const struct value *value)
{
    if (!value->right)
        return in_unit(p,
                       arena_printf(p->arena, "%s.sort_values().diff()",
                                    program_date(p, value->left)),
                       value->part);
    const char *date = program_label(p, value->left),
               *key = program_label(p, value->right);
    const bool is_plain = date && key && at(p, value->left->column)->is_datetime;
    const char *span =
        is_plain ? arena_printf(p->arena, "%s.sort_values(%s).groupby(%s)[%s].diff()",
                                p->rows, date, key, date)
                 : arena_printf(p->arena, "%s.sort_values().groupby(%s).diff()",
                                program_date(p, value->left),
                                program_cells(p, value->right->column));

    return in_unit(p, span, value->part);
}

static const char *
level(struct program *p, const struct value *value)
{
    const bool is_first = value->count == LEVEL_FIRST;
    const char *numbers = is_first ? program_date(p, value->left)
                                   : program_number(p, value->left),
               *reduce = is_first                       ? "min"
                         : value->count == LEVEL_MEDIAN ? "median"
                                                        : "mean";

    return value->right ? arena_printf(p->arena, "%s.groupby(%s).transform(\"%s\")",
                                       numbers, program_key(p, value->right), reduce)
                        : arena_printf(p->arena, "%s.%s()", numbers, reduce);
}

const char *
program_number(struct program *p, const struct value *value)
{
    switch (value->kind) {
    case VALUE_COLUMN:
        return column_number(p, value->column);
    case VALUE_NUMBER:
        return python_number(p->arena, value->number);
    case VALUE_ARITHMETIC:
        return value->is_weighing
                   ? arena_printf(p->arena, "(%s %c %s)",
                                  program_number(p, value->left), value->op,
                                  program_number(p, value->right))
                   : arena_printf(p->arena, "(%s %c %s)%s", factor(p, value->left),
                                  value->op, factor(p, value->right),
                                  value->is_distance ? ".abs()" : "");
    case VALUE_DURATION:
        return arena_printf(p->arena, "(%s)", duration(p, value));
    case VALUE_GAP:
        return arena_printf(p->arena, "(%s)", gap(p, value));
    case VALUE_TEST:
        return arena_printf(p->arena, "(%s).astype(float)",
                            program_mask(p, value->test, value->tests));
    case VALUE_LEVEL:
        return level(p, value);
    case VALUE_PART:
    case VALUE_BAND:
    case VALUE_QUANTILE:
        break;
    }
    return program_key(p, value);
}

const char *
program_date(struct program *p, const struct value *value)
{
    const struct column *about = at(p, value->column);
    const char *cells = program_cells(p, value->column);

    if (about->is_datetime)
        return about->is_zoned
                   ? arena_printf(p->arena, "%s.dt.tz_localize(None)", cells)
                   : cells;
    if (about->kind == COLUMN_NUMBER) /* years */
        return arena_printf(
            p->arena, "pd.to_datetime(%s, format=\"%%Y\", errors=\"coerce\")", cells);
    return column_dates(p->arena, about, cells);
}

static const char *
part_of(struct program *p, const struct value *value)
{
    static const char *const parts[] = {
        [PART_NONE] = "",
        [PART_YEAR] = "dt.to_period(\"Y\")",
        [PART_QUARTER] = "dt.to_period(\"Q\")",
        [PART_MONTH] = "dt.to_period(\"M\")",
        [PART_WEEK] = "dt.to_period(\"W\")",
        [PART_DAY] = "dt.to_period(\"D\")",
        [PART_HOUR] = "dt.hour",
        [PART_WEEKDAY] = "dt.day_name()",
        [PART_WEEKEND] = "dt.day_of_week >= 5",
        [PART_MONTH_NAME] = "dt.month_name()",
        [PART_QUARTER_NAME] = "dt.quarter",
        [PART_SEASON] = "dt.month % 12 // 3",
    };
    const struct column *about = at(p, value->left->column);

    if (value->part == PART_YEAR && about->kind == COLUMN_NUMBER)
        return program_cells(p, value->left->column);
    const char *text =
        arena_printf(p->arena, "%s.%s", program_date(p, value->left),
                     value->part == PART_YEAR ? "dt.year" : parts[value->part]);
    if (value->part == PART_SEASON)
        return arena_printf(p->arena,
                            "(%s).map({0: \"winter\", 1: \"spring\", 2: \"summer\", "
                            "3: \"autumn\"})",
                            text);
    if (value->part == PART_WEEKEND)
        return arena_printf(p->arena,
                            "(%s).map({True: \"weekend\", False: \"weekday\"})", text);
    return text;
}

static const char *
edge_of(struct program *p, double edge)
{
    return isfinite(edge) ? python_number(p->arena, edge)
           : edge < 0     ? "float(\"-inf\")"
                          : "float(\"inf\")";
}

static const char *
listed_bands(struct program *p, const char *number, const struct bands *bands)
{
    const char *edges = edge_of(p, bands->edge[0]), *labels = "";

    for (unsigned i = 0; i < bands->count; i++) {
        edges = arena_printf(p->arena, "%s, %s", edges, edge_of(p, bands->edge[i + 1]));
        labels = arena_printf(p->arena, "%s%s%s", labels, i ? ", " : "",
                              program_text(p, bands->label[i]));
    }
    return arena_printf(p->arena, "pd.cut(%s, [%s], %slabels=[%s])", number, edges,
                        bands->is_right ? "include_lowest=True, " : "right=False, ",
                        labels);
}

/* Whole numbers that are floats only for what is missing: "1950", and not "1950.0". */
static bool
are_whole_floats(const struct program *p, const struct value *value)
{
    const struct column *column =
        value->left->kind == VALUE_COLUMN ? at(p, value->left->column) : NULL;

    return column && column->kind == COLUMN_NUMBER && column->is_integer &&
           column->nulls > 0 && !column->is_nullable && !column->has_infinite &&
           value->number >= 1 && value->number <= floor(value->number);
}

static const char *
band_of(struct program *p, const struct value *value)
{
    const char *number = program_number(p, value->left);

    if (value->kind == VALUE_QUANTILE)
        return arena_printf(p->arena, "pd.qcut(%s, %d, duplicates=\"drop\")", number,
                            value->count);
    if (value->bands)
        return listed_bands(p, number, value->bands);
    if (value->number > 0) {
        const char *width = python_number(p->arena, value->number);

        return arena_printf(p->arena,
                            are_whole_floats(p, value)
                                ? "(%s // %s * %s).astype(\"Int64\")"
                                : "%s // %s * %s",
                            number, width, width);
    }
    return arena_printf(p->arena, "pd.cut(%s, %d).astype(str)", number,
                        value->count ? value->count : 10);
}

static const char *
plain_key(struct program *p, int column)
{
    const struct column *about = at(p, column);
    const char *cells = program_cells(p, column);

    if (about->kind == COLUMN_DATE)
        return program_date(p, &(struct value){.kind = VALUE_COLUMN, .column = column});
    if (about->is_mixed || about->has_both_yes)
        return arena_printf(p->arena, "%s.str.strip().str.lower()%s", cells,
                            about->has_both_yes ? ".str[:1]" : "");
    return cells;
}

const char *
program_key(struct program *p, const struct value *value)
{
    switch (value->kind) {
    case VALUE_COLUMN:
        return plain_key(p, value->column);
    case VALUE_PART:
        return part_of(p, value);
    case VALUE_BAND:
    case VALUE_QUANTILE:
        return band_of(p, value);
    case VALUE_TEST: {
        const char *name = value->name
                               ? value->name
                               : query_test_name(p->arena, p->frame, value->test);

        const char *yes = value->yes ? value->yes : name,
                   *no = value->no ? value->no : program_say(p, "code.not", name);

        return arena_printf(p->arena, "(%s).map({True: %s, False: %s})",
                            program_mask(p, value->test, value->tests),
                            program_text(p, yes), program_text(p, no));
    }
    case VALUE_NUMBER:
    case VALUE_ARITHMETIC:
    case VALUE_DURATION:
    case VALUE_GAP:
    case VALUE_LEVEL:
        break;
    }
    return program_number(p, value);
}

const char *
program_label(struct program *p, const struct value *value)
{
    const struct column *about =
        value->kind == VALUE_COLUMN ? at(p, value->column) : NULL;

    if (!about || !has_label(p, value->column) || about->is_mixed ||
        about->has_both_yes ||
        (about->kind == COLUMN_DATE && (!about->is_datetime || about->is_zoned)))
        return NULL;
    return program_text(p, about->name);
}

/* Whether its label alone may be reduced as a number. */
bool
program_is_number(const struct program *p, const struct value *value)
{
    return value->kind == VALUE_COLUMN && at(p, value->column)->kind == COLUMN_NUMBER &&
           !at(p, value->column)->is_measured && /* text to a draft's frame, too */
           !at(p, value->column)->is_nullable && has_label(p, value->column);
}
