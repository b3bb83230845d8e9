/* Questions that change the answer before. */
#include "bridge/planner/draft/followup.h"
#include "bridge/planner/planner_session.h"

static json_t *
last_plan(const struct planner_session *s)
{
    size_t count = json_array_size(s->request->previous);
    json_t *last = count ? json_array_get(s->request->previous, count - 1) : NULL;
    json_t *inner = json_object_get(last, "plan");

    return inner ? inner : last;
}

static int
named_frame(const struct planner_session *s, json_t *plan)
{
    const char *name = json_string_value(json_object_get(plan, "frame"));

    for (int i = 0; name && i < s->profile->frames; i++)
        if (strcmp(s->profile->frame[i].name, name) == 0)
            return i;
    return -1;
}

/* A question that only changes something is about the table of the one before. */
bool
planner_followup(struct planner_session *s)
{
    json_t *json = last_plan(s);
    int frame = named_frame(s, json);
    struct plan before = PLAN_INIT;
    struct error ignored;

    if (frame < 0 ||
        plan_from_json(&before, &s->profile->frame[frame], json, &ignored) < 0)
        return false;
    struct reading *reading = arena_alloc(s->arena, 1, sizeof(*reading));
    *reading = reading_make(s->arena, s->lexicon, &s->profile->frame[frame],
                            s->request->question, &s->words);
    struct draft draft = draft_make(s->arena, reading);
    if (!followup_is_one(&draft))
        return false;
    bool is_carried = !json_is_true(json_object_get(json, "beyond"));
    if (is_carried)
        followup_apply(&draft, &before);
    draft.is_followup = true;
    s->draft = draft;
    /* Without a cue it must be sure: else it is read as a question of its own. */
    bool is_one =
        followup_is_cued(reading) || (is_carried && planner_draft_is_sound(s));
    s->is_lost_followup = is_one && !is_carried;
    return is_one;
}
