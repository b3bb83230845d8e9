/* A query as JSON: with the fields of a plan, and what plans have no field for. */
#include "bridge/planner/query/query.h"

static json_t *
text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *
name_of(struct arena *arena, const struct frame *frame, const struct value *value)
{
    return value ? json_string(query_value_name(arena, frame, value)) : json_null();
}

/* Of the column that a value is made of, for readers of plans. */
static json_t *
column_of(const struct frame *frame, const struct value *value)
{
    while (value && value->kind != VALUE_COLUMN)
        value = value->left;
    return value ? json_string(frame->column[value->column].name) : json_null();
}

static json_t *
test_to_json(struct arena *arena, const struct frame *frame, const struct test *test)
{
    json_t *values = json_array();

    for (unsigned i = 0; i < test->operands; i++)
        json_array_append_new(values, test->operand[i].is_number
                                          ? json_real(test->operand[i].number)
                                          : json_string(test->operand[i].text));
    return json_pack("{s:o, s:o, s:s, s:o, s:s, s:b, s:i, s:o}", "column",
                     column_of(frame, test->of), "value",
                     name_of(arena, frame, test->of), "op",
                     plan_operator_name(test->op), "values", values, "join",
                     test->is_or ? "or" : "and", "not", test->is_not, "last",
                     test->last, "than", name_of(arena, frame, test->than));
}

static json_t *
tests_to_json(struct arena *arena, const struct frame *frame, const struct test *test,
              unsigned tests)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < tests; i++)
        json_array_append_new(list, test_to_json(arena, frame, &test[i]));
    return list;
}

static json_t *
amount_to_json(struct arena *arena, const struct query *query,
               const struct amount *amount)
{
    return json_pack(
        "{s:o, s:s, s:s, s:o, s:o, s:f, s:o}", "y", column_of(query->frame, amount->of),
        "aggregate", query_reduce_name(amount->reduce), "name",
        query_amount_name(arena, query, amount), "quantile",
        amount->reduce == REDUCE_QUANTILE ? json_real(amount->quantile) : json_null(),
        "per", amount->per ? amount_to_json(arena, query, amount->per) : json_null(),
        "times", amount->per_count > 0 ? amount->per_count : 1.0, "where",
        tests_to_json(arena, query->frame, amount->test, amount->tests));
}

static json_t *
list_amounts(struct arena *arena, const struct query *query, unsigned from)
{
    json_t *list = json_array();

    for (unsigned i = from; i < query->amounts; i++)
        json_array_append_new(list, amount_to_json(arena, query, &query->amount[i]));
    return list;
}

static json_t *
keys_to_json(struct arena *arena, const struct query *query)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < query->keys; i++)
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o}", "column",
                            column_of(query->frame, query->key[i]), "name",
                            name_of(arena, query->frame, query->key[i]), "part",
                            query->key[i]->kind == VALUE_PART
                                ? json_string(query_part_name(query->key[i]->part))
                                : json_null()));
    return list;
}

static json_t *
bin_of(const struct query *query)
{
    for (unsigned i = 0; i < query->keys; i++)
        if (query->key[i]->kind == VALUE_PART)
            return json_pack("{s:s}", "unit", query_part_name(query->key[i]->part));
    return json_null();
}

static json_t *
having_to_json(struct arena *arena, const struct query *query)
{
    if (!query->having.is_there)
        return json_null();
    return json_pack("{s:o, s:s, s:o, s:o}", "amount",
                     amount_to_json(arena, query, &query->having.amount), "op",
                     plan_operator_name(query->having.op), "number",
                     query->having.is_overall ? json_string("overall")
                                              : json_real(query->having.number),
                     "of", name_of(arena, query->frame, query->having.of));
}

static json_t *
sort_of(struct arena *arena, const struct query *query)
{
    const struct value *by = query->shape == SHAPE_ROWS ? query->rank.by : NULL;

    if (!query->is_sorted && !query->rank.is_there)
        return json_null();
    return json_pack("{s:s, s:s}", "by",
                     by                    ? query_value_name(arena, query->frame, by)
                     : query->sorts_by_key ? "x"
                                           : "y",
                     "order",
                     query->is_sorted ? query->sorts_down ? "descending" : "ascending"
                     : query->rank.is_low ? "ascending"
                                          : "descending");
}

static const char *
intent_of(const struct query *query)
{
    static const char *const intents[] = {
        [SHAPE_NUMBER] = "value", [SHAPE_TABLE] = "table",   [SHAPE_CHART] = "chart",
        [SHAPE_ROWS] = "rows",    [SHAPE_OUTLIERS] = "rows",
    };

    return intents[query->shape];
}

/* --- what plans have no field for --- */

static bool
is_plain_test(const struct test *test)
{
    return test->of->kind == VALUE_COLUMN && !test->than && !test->last &&
           !test->is_not && test->operands + (test->op >= OP_NULL) > 0;
}

static bool
is_plain_key(const struct value *key)
{
    return key->kind == VALUE_COLUMN ||
           (key->kind == VALUE_PART && key->part <= PART_WEEKDAY);
}

static bool
is_plain_amount(const struct amount *amount)
{
    bool is_known = amount->reduce <= REDUCE_DISTINCT &&
                    amount->reduce != REDUCE_NONE && amount->reduce != REDUCE_QUANTILE;

    return is_known && !amount->each && amount->per_count <= 0 &&
           (!amount->of || amount->of->kind == VALUE_COLUMN);
}

bool
query_is_beyond(const struct query *query)
{
    if (query->having.is_there || query->along || query->share > SHARE_TOTAL ||
        query->rank.is_within || query->rank.is_percent || query->rank.is_nth ||
        query->is_compared || query->keys > 2 || query->shape == SHAPE_OUTLIERS ||
        query->frame->join)
        return true;
    for (unsigned i = 0; i < query->tests; i++)
        if (!is_plain_test(&query->test[i]))
            return true;
    for (unsigned i = 0; i < query->keys; i++)
        if (!is_plain_key(query->key[i]))
            return true;
    for (unsigned i = 0; i < query->amounts; i++)
        if (!is_plain_amount(&query->amount[i]) ||
            (query->amount[i].per && !is_plain_amount(query->amount[i].per)))
            return true;
    return false;
}

json_t *
query_to_json(struct arena *arena, const struct query *query)
{
    static const char *const alongs[] = {
        NULL,      "cumulative",  "change",     "percent change",
        "rolling", "rolling sum", "year before"};
    static const char *const shares[SHARE_COUNT] = {NULL,   "total",  "within",
                                                    "part", "groups", "top"};
    static const char *const moves[] = {NULL, "up", "down", "either"};
    static const char *const layouts[] = {NULL, "stacked", "grouped", "faceted"};
    const struct frame *frame = query->frame;
    const struct amount *first = query->amounts ? &query->amount[0] : NULL;

    json_t *plan = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "frame",
        frame->name, "intent", intent_of(query), "mark",
        text_or_null(query->shape == SHAPE_CHART ? plan_mark_name(query->mark) : NULL),
        "layout", text_or_null(layouts[query->layout]), "x",
        first && first->with ? column_of(frame, first->with)
        : query->keys        ? column_of(frame, query->key[0])
                             : json_null(),
        "y", first ? column_of(frame, first->of) : json_null(), "series",
        query->keys > 1 ? column_of(frame, query->key[1]) : json_null(), "aggregate",
        text_or_null(first && !first->with ? query_reduce_name(first->reduce) : NULL),
        "bin", bin_of(query), "filters",
        tests_to_json(arena, frame, query->test, query->tests), "sort",
        sort_of(arena, query), "share", query->share != SHARE_NONE, "also",
        list_amounts(arena, query, 1));
    if (!plan)
        return json_null();
    json_object_set_new(
        plan, "limit",
        query->rank.is_there && query->rank.count && !query->rank.is_percent
            ? json_integer(query->rank.count)
        : query->rank.is_there && query->shape == SHAPE_ROWS ? json_integer(1)
                                                             : json_null());
    json_object_set_new(plan, "per",
                        first && first->per ? amount_to_json(arena, query, first->per)
                                            : json_null());
    json_object_set_new(plan, "keys", keys_to_json(arena, query));
    json_object_set_new(plan, "amounts", list_amounts(arena, query, 0));
    json_object_set_new(plan, "having", having_to_json(arena, query));
    json_object_set_new(plan, "along", text_or_null(alongs[query->along]));
    json_object_set_new(plan, "window", json_integer(query->window));
    json_object_set_new(plan, "share_of", text_or_null(shares[query->share]));
    json_object_set_new(plan, "within", json_boolean(query->rank.is_within));
    json_object_set_new(plan, "compare", json_boolean(query->is_compared));
    json_object_set_new(plan, "move", text_or_null(moves[query->move]));
    json_object_set_new(plan, "moved", json_boolean(query->is_only_moved));
    json_object_set_new(plan, "beyond", json_boolean(query_is_beyond(query)));
    json_object_set_new(plan, "style", plan_style_to_json(&query->style));
    return plan;
}
