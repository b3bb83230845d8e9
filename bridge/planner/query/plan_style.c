/* How an answer is drawn, as JSON. */
#include "bridge/planner/query/plan.h"

json_t *
plan_style_to_json(const struct style *style)
{
    if (!style->is_horizontal && !style->is_log && !style->has_labels &&
        !style->colour && !style->title)
        return json_null();
    return json_pack("{s:b, s:b, s:b, s:s?, s:s?}", "horizontal", style->is_horizontal,
                     "log", style->is_log, "labels", style->has_labels, "colour",
                     style->colour, "title", style->title);
}

struct style
plan_style_from_json(json_t *json)
{
    return (struct style){
        .is_horizontal = json_is_true(json_object_get(json, "horizontal")),
        .is_log = json_is_true(json_object_get(json, "log")),
        .has_labels = json_is_true(json_object_get(json, "labels")),
        .colour = json_string_value(json_object_get(json, "colour")),
        .title = json_string_value(json_object_get(json, "title")),
    };
}
