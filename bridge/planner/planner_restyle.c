/* "horizontal", "in red", "as a table": the answer before, drawn otherwise. */
#include "bridge/planner/emit/emit.h"
#include "bridge/planner/planner_session.h"
#include "bridge/planner/restyle/restyle.h"

/* Whether a word stands in cells: "in red" of red cars is not a colour of bars. */
static bool
is_cell(const struct frame *frame, const char *word)
{
    return word && frame_find_value(frame, words_squash(0, word)) >= 0;
}

static void
take_order(struct query *query, const struct plan *drawn)
{
    if (!drawn->sort || drawn->sort == AXIS_COLUMN || query->rank.is_there)
        return;
    query->is_sorted = true;
    query->sorts_by_key = drawn->sort == AXIS_X;
    query->sorts_down = drawn->is_descending;
}

/* How the answer before was drawn, of which earlier questions may have changed much. */
static void
take_drawing(struct query *query, const struct plan *drawn)
{
    if (query->shape != SHAPE_CHART && query->shape != SHAPE_TABLE)
        return;
    query->shape = drawn->intent == INTENT_TABLE ? SHAPE_TABLE : SHAPE_CHART;
    query->mark = drawn->mark ? drawn->mark : query->mark;
    query->layout = drawn->layout;
    query->style = drawn->style;
    take_order(query, drawn);
}

/* How it was drawn, of a plan whose rest its question says again. */
static int
read_drawing(struct plan *plan, const struct frame *frame, json_t *json)
{
    struct error ignored;

    *plan = (struct plan)PLAN_INIT;
    json_t *drawn = json_pack(
        "{s:O?, s:O?, s:O?, s:O?, s:O?}", "intent", json_object_get(json, "intent"),
        "mark", json_object_get(json, "mark"), "layout",
        json_object_get(json, "layout"), "sort", json_object_get(json, "sort"), "style",
        json_object_get(json, "style"));
    int failed = plan_from_json(plan, frame, drawn, &ignored);
    json_decref(drawn); /* its texts are also the earlier plan's */
    return failed;
}

void
planner_restyle_keep(struct planner_session *s, const struct frame *frame, json_t *json,
                     const struct query *before, struct query *now)
{
    struct plan *plan = arena_alloc(s->arena, 1, sizeof(*plan));
    const bool is_chart =
        now->shape == SHAPE_CHART && now->keys && before->shape == SHAPE_CHART;

    if (read_drawing(plan, frame, json) < 0)
        return;
    now->style = plan->style;
    if (now->keys && !now->is_sorted && !before->is_sorted)
        take_order(now, plan);
    if (is_chart && plan->intent == INTENT_TABLE)
        now->shape = SHAPE_TABLE;
    if (!is_chart || !plan->mark || plan->mark == before->mark)
        return;
    now->mark = plan->mark; /* the drawing was changed since it was asked */
    now->layout = plan->layout;
}

/* The query of the answer before: of its question, or of its plan. */
static struct query *
query_before(struct planner_session *s, const struct frame *frame, json_t *json,
             const struct plan *plan)
{
    const char *asked = json_string_value(json_object_get(json, "asked"));
    struct parser *parser = arena_alloc(s->arena, 1, sizeof(*parser));
    struct query *query = arena_alloc(s->arena, 1, sizeof(*query));

    if (!asked)
        return restyle_plan_as_query(query, s->arena, frame, plan) ? query : NULL;
    if (!planner_query_read(s, frame, asked, parser))
        return NULL;
    take_drawing(parser->query, plan);
    return parser->query;
}

static void
answer_plan(struct planner_session *s, const struct frame *frame,
            const struct plan *plan)
{
    struct planner_answer *answer = s->answer;

    json_decref(answer->plan);
    answer->plan = plan_to_json(plan, frame);
    answer->confidence = 1;
    planner_session_add(
        answer->assumed,
        planner_session_say(s, "assume.follow",
                            emit_title(plan, frame, s->lexicon, s->arena), NULL));
    free(answer->code);
    answer->code = emit_program(plan, frame, s->profile, s->lexicon, s->arena);
}

static const char *
change_before(struct planner_session *s, const struct frame *frame, json_t *json,
              const struct restyle *change)
{
    struct plan *plan = arena_alloc(s->arena, 1, sizeof(*plan));
    const char *asked = json_string_value(json_object_get(json, "asked"));
    struct error ignored;

    *plan = (struct plan)PLAN_INIT;
    int failed = asked ? read_drawing(plan, frame, json)
                       : plan_from_json(plan, frame, json, &ignored);
    if (failed)
        return "restyle.gone";
    struct query *query = query_before(s, frame, json, plan);
    const char *why;
    if (query) {
        why = restyle_query(query, change);
        if (!why)
            planner_query_changed(s, query, asked);
        return why;
    }
    if (asked)
        return "restyle.gone";
    why = restyle_plan(plan, change);
    if (!why)
        answer_plan(s, frame, plan);
    return why;
}

bool
planner_restyle(struct planner_session *s)
{
    struct restyle change;
    json_t *json = planner_followup_last(s);
    int frame = planner_followup_frame(s, json);

    if (frame < 0 ||
        !restyle_read(&change, s->arena, s->lexicon, s->question, &s->words) ||
        is_cell(&s->profile->frame[frame], change.bare))
        return false;
    const char *why = change_before(s, &s->profile->frame[frame], json, &change);
    if (why && change.order && planner_followup_extend(s))
        return true; /* "newest first", of rows */
    if (why)
        planner_refusal_say(s, why,
                            arena_text(s->arena, s->question.data, s->question.len));
    return true;
}
