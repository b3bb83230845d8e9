#include "bridge/planner/query/plan.h"

#include <stdio.h>

#define X(name, text) text,
static const char *const intents[] = {PLAN_INTENTS(X)};
static const char *const marks[] = {PLAN_MARKS(X)};
static const char *const aggregates[] = {PLAN_AGGREGATES(X)};
static const char *const grains[] = {PLAN_GRAINS(X)};
static const char *const operators[] = {PLAN_OPERATORS(X)};
static const char *const layouts[] = {PLAN_LAYOUTS(X)};
static const char *const axes[] = {PLAN_AXES(X)};
#undef X

const char *
plan_mark_name(enum plan_mark mark)
{
    return marks[mark];
}

const char *
plan_aggregate_name(enum plan_aggregate aggregate)
{
    return aggregates[aggregate];
}

const char *
plan_grain_name(enum plan_grain grain)
{
    return grains[grain];
}

const char *
plan_operator_name(enum plan_operator op)
{
    return operators[op];
}

/* --- out --- */

static json_t *
column_name(const struct frame *frame, int column)
{
    return column < 0 ? json_null() : json_string(frame->column[column].name);
}

static json_t *
enum_name(const char *const *names, unsigned value)
{
    return value ? json_string(names[value]) : json_null();
}

static json_t *
bin_to_json(const struct plan *plan)
{
    if (plan->grain)
        return json_pack("{s:s}", "unit", grains[plan->grain]);
    if (plan->mark != MARK_HISTOGRAM)
        return json_null();
    if (plan->bin_width > 0)
        return json_pack("{s:f}", "width", plan->bin_width);
    if (plan->bins > 0)
        return json_pack("{s:i}", "count", plan->bins);
    return json_pack("{}");
}

static json_t *
filters_to_json(const struct plan *plan, const struct frame *frame)
{
    json_t *filters = json_array();

    for (unsigned i = 0; i < plan->filters; i++) {
        const struct filter *filter = &plan->filter[i];
        json_t *values = json_array();

        for (unsigned k = 0; k < filter->operands; k++)
            json_array_append_new(values, filter->operand[k].is_number
                                              ? json_real(filter->operand[k].number)
                                              : json_string(filter->operand[k].text));
        json_array_append_new(filters,
                              json_pack("{s:o, s:s, s:o, s:s}", "column",
                                        column_name(frame, filter->column), "op",
                                        operators[filter->op], "values", values, "join",
                                        filter->is_or ? "or" : "and"));
    }
    return filters;
}

static json_t *
sort_to_json(const struct plan *plan, const struct frame *frame)
{
    if (!plan->sort)
        return json_null();
    return json_pack("{s:o, s:s}", "by",
                     plan->sort == AXIS_COLUMN ? column_name(frame, plan->sort_column)
                                               : json_string(axes[plan->sort]),
                     "order", plan->is_descending ? "descending" : "ascending");
}

static json_t *
measure_to_json(const struct measure *measure, const struct frame *frame)
{
    return json_pack("{s:o, s:o}", "y", column_name(frame, measure->column),
                     "aggregate", enum_name(aggregates, measure->aggregate));
}

static json_t *
also_to_json(const struct plan *plan, const struct frame *frame)
{
    json_t *also = json_array();

    for (unsigned i = 0; i < plan->alsos; i++)
        json_array_append_new(also, measure_to_json(&plan->also[i], frame));
    return also;
}

json_t *
plan_to_json(const struct plan *plan, const struct frame *frame)
{
    json_t *frame_name = json_string(frame->name);

    return json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, "
        "s:o}",
        "frame", frame_name ? frame_name : json_null(), "intent", intents[plan->intent],
        "mark", enum_name(marks, plan->mark), "layout",
        enum_name(layouts, plan->layout), "x", column_name(frame, plan->x), "y",
        column_name(frame, plan->y), "series", column_name(frame, plan->series),
        "aggregate", enum_name(aggregates, plan->aggregate), "bin", bin_to_json(plan),
        "filters", filters_to_json(plan, frame), "sort", sort_to_json(plan, frame),
        "limit", plan->limit ? json_integer(plan->limit) : json_null(), "share",
        plan->is_share, "also", also_to_json(plan, frame), "per",
        plan->is_ratio ? measure_to_json(&plan->per, frame) : json_null(), "style",
        plan_style_to_json(&plan->style));
}

/* --- in --- */

struct in {
    const struct frame *frame;
    struct error *err;
};

static int
read_enum(const struct in *in, json_t *json, const char *const *names, size_t count,
          unsigned *value)
{
    const char *text = json_string_value(json);

    *value = 0;
    if (!text)
        return 0;
    for (; *value < count; ++*value)
        if (strcmp(names[*value], text) == 0)
            return 0;
    return error_set(in->err, ERR_BAD_INPUT, "a plan's word is unknown");
}

static int
read_column(const struct in *in, json_t *json, int *column)
{
    const char *name = json_string_value(json);

    *column = name ? frame_find_column(in->frame, name) : -1;
    return name && *column < 0 ? error_set(in->err, ERR_NOT_FOUND,
                                           "the plan before names another table")
                               : 0;
}

static int
read_operands(const struct in *in, struct filter *filter, json_t *values)
{
    size_t at;
    json_t *value;

    if (json_array_size(values) > OPERANDS_MAX)
        return error_set(in->err, ERR_TOO_LARGE, "a filter has too many values");
    json_array_foreach (values, at, value) {
        struct operand *operand = &filter->operand[filter->operands++];

        operand->is_number = json_is_number(value);
        operand->number = operand->is_number ? json_number_value(value) : 0;
        operand->text = json_is_string(value) ? json_string_value(value) : "";
    }
    return 0;
}

static int
read_filters(const struct in *in, struct plan *plan, json_t *filters)
{
    size_t at;
    json_t *json;

    if (json_array_size(filters) > FILTERS_MAX)
        return error_set(in->err, ERR_TOO_LARGE, "a plan has too many filters");
    json_array_foreach (filters, at, json) {
        struct filter *filter = &plan->filter[plan->filters];
        const char *join = json_string_value(json_object_get(json, "join"));
        unsigned op;

        if (read_column(in, json_object_get(json, "column"), &filter->column) < 0 ||
            read_enum(in, json_object_get(json, "op"), operators, COUNT_OF(operators),
                      &op) < 0 ||
            read_operands(in, filter, json_object_get(json, "values")) < 0)
            return -1;
        if (filter->column < 0)
            continue;
        filter->op = op;
        filter->is_or = join && strcmp(join, "or") == 0;
        plan->filters++;
    }
    return 0;
}

static int
read_sort(const struct in *in, struct plan *plan, json_t *sort)
{
    const char *by = json_string_value(json_object_get(sort, "by"));
    const char *order = json_string_value(json_object_get(sort, "order"));

    if (!by)
        return 0;
    plan->is_descending = order && strcmp(order, "descending") == 0;
    plan->sort = strcmp(by, "x") == 0   ? AXIS_X
                 : strcmp(by, "y") == 0 ? AXIS_Y
                                        : AXIS_COLUMN;
    return plan->sort == AXIS_COLUMN
               ? read_column(in, json_object_get(sort, "by"), &plan->sort_column)
               : 0;
}

static int
read_choices(const struct in *in, struct plan *plan, json_t *json)
{
    struct {
        const char *key;
        const char *const *names;
        size_t count;
        unsigned value;
    } choices[] = {
        {"intent",    intents,    COUNT_OF(intents),    0},
        {"mark",      marks,      COUNT_OF(marks),      0},
        {"layout",    layouts,    COUNT_OF(layouts),    0},
        {"aggregate", aggregates, COUNT_OF(aggregates), 0},
    };

    for (size_t i = 0; i < COUNT_OF(choices); i++)
        if (read_enum(in, json_object_get(json, choices[i].key), choices[i].names,
                      choices[i].count, &choices[i].value) < 0)
            return -1;
    plan->intent = choices[0].value;
    plan->mark = choices[1].value;
    plan->layout = choices[2].value;
    plan->aggregate = choices[3].value;
    return 0;
}

static int
read_bin(const struct in *in, struct plan *plan, json_t *bin)
{
    unsigned grain;

    if (read_enum(in, json_object_get(bin, "unit"), grains, COUNT_OF(grains), &grain) <
        0)
        return -1;
    plan->grain = grain;
    double width = json_number_value(json_object_get(bin, "width"));
    plan->bin_width = width > 0 ? width : 0;
    json_int_t count = json_integer_value(json_object_get(bin, "count"));
    plan->bins = count > 0 && count <= 1000 ? (int)count : 0;
    return 0;
}

static int
read_measure(const struct in *in, json_t *json, struct measure *measure)
{
    unsigned aggregate;

    if (read_column(in, json_object_get(json, "y"), &measure->column) < 0 ||
        read_enum(in, json_object_get(json, "aggregate"), aggregates,
                  COUNT_OF(aggregates), &aggregate) < 0)
        return -1;
    measure->aggregate = aggregate;
    return measure->column < 0 && aggregate != AGG_COUNT
               ? error_set(in->err, ERR_BAD_INPUT, "a plan's measure lacks its column")
               : 0;
}

static int
read_measures(const struct in *in, struct plan *plan, json_t *json)
{
    json_t *also = json_object_get(json, "also"), *per = json_object_get(json, "per");
    size_t at;
    json_t *measure;

    if (json_array_size(also) > MEASURES_MAX)
        return error_set(in->err, ERR_TOO_LARGE, "a plan has too many measures");
    json_array_foreach (also, at, measure)
        if (read_measure(in, measure, &plan->also[plan->alsos++]) < 0)
            return -1;
    plan->is_ratio = json_is_object(per);
    return plan->is_ratio ? read_measure(in, per, &plan->per) : 0;
}

int
plan_from_json(struct plan *plan, const struct frame *frame, json_t *json,
               struct error *err)
{
    struct in in = {frame, err};
    struct plan read = PLAN_INIT;
    json_int_t limit = json_integer_value(json_object_get(json, "limit"));

    if (read_choices(&in, &read, json) < 0 ||
        read_column(&in, json_object_get(json, "x"), &read.x) < 0 ||
        read_column(&in, json_object_get(json, "y"), &read.y) < 0 ||
        read_column(&in, json_object_get(json, "series"), &read.series) < 0 ||
        read_bin(&in, &read, json_object_get(json, "bin")) < 0 ||
        read_filters(&in, &read, json_object_get(json, "filters")) < 0 ||
        read_sort(&in, &read, json_object_get(json, "sort")) < 0 ||
        read_measures(&in, &read, json) < 0)
        return -1;
    read.limit = limit > 0 && limit < 100000 ? (int)limit : 0;
    read.is_share = json_is_true(json_object_get(json, "share"));
    read.style = plan_style_from_json(json_object_get(json, "style"));
    *plan = read;
    return 0;
}
