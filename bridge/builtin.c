/* The planner as what answers when no model is configured. */
#include "bridge/bridge.h"
#include "bridge/planner/planner.h"
#include "bridge/planner/words/languages.h"
#include "bridge/repair/repair.h"
#include "common/buffer.h"

static json_t *
plans_of(const json_t *earlier)
{
    json_t *plans = json_array(), *entry;
    size_t i;

    json_array_foreach (earlier, i, entry) {
        json_t *plan = json_object_get(entry, "plan");
        if (json_is_object(plan) && !json_is_true(json_object_get(plan, "refused")))
            json_array_append(plans, plan);
    }
    return plans;
}

/* "Title: one; two", or one a line: those can be copied. */
static void
append_list(struct buffer *out, const char *title, const json_t *sentences,
            bool in_lines)
{
    json_t *sentence;
    size_t i;

    if (!json_array_size(sentences))
        return;
    buffer_printf(out, "%s%s:", out->len ? "\n" : "", title);
    json_array_foreach (sentences, i, sentence)
        buffer_printf(out, "%s%s",
                      in_lines ? "\n  "
                      : i      ? "; "
                               : " ",
                      json_string_value(sentence));
}

/* For people: how it is worked out, what was assumed, and what could be asked instead.
 */
static char *
remarks(const struct planner_answer *answer, bool explain)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    if (explain && answer->explanation)
        buffer_printf(&out, "How: %s", answer->explanation);
    append_list(&out, "Assumed", answer->assumed, false);
    append_list(&out, "Not understood", answer->not_understood, false);
    append_list(&out, "Other questions", answer->alternatives, false);
    return TAKE(out.data);
}

static char *
refusal_of(const struct planner_answer *answer)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&out, answer->message);
    append_list(&out, "You can ask", answer->alternatives, true);
    return TAKE(out.data);
}

/* With what it was sure of, for the metadata. */
static json_t *
plan_of(const struct planner_answer *answer)
{
    if (!json_is_object(answer->plan))
        return NULL;
    json_t *plan = json_copy(answer->plan);
    json_object_set_new(plan, "confidence", json_real(answer->confidence));
    json_object_set(plan, "assumed", answer->assumed);
    json_object_set(plan, "not_understood", answer->not_understood);
    if (answer->outcome ==
        PLANNER_REFUSED) /* nothing was shown that could be changed */
        json_object_set_new(plan, "refused", json_true());
    return plan;
}

static int
repair(const struct local_request *request, struct local_answer *answer)
{
    AUTO(repair) struct repair repair;

    repair_make(&repair, request->failure);
    *answer = (struct local_answer){
        .code = TAKE(repair.code),
        .said = TAKE(repair.said),
        .refusal = TAKE(repair.refusal),
    };
    return 0;
}

int
bridge_planner(const struct local_request *request, struct local_answer *answer,
               struct error *err)
{
    if (request->failure)
        return repair(request, answer);
    AUTO(planner_answer) struct planner_answer planned = {0};
    json_auto_t *plans = plans_of(request->earlier);
    json_auto_t *nothing = json_pack("{s:[]}", "frames");
    const struct lexicon *lexicon =
        request->language && *request->language
            ? languages_find(request->language, err)
            : languages_detect(slice_of(request->question), err);
    const struct planner_request asked = {
        .lexicon = lexicon,
        .question = slice_of(request->question),
        .profile = request->profile ? (json_t *)request->profile : nothing,
        .previous = plans,
    };

    if (!lexicon || planner_answer(&planned, &asked, err) < 0)
        return -1;
    *answer = (struct local_answer){.plan = plan_of(&planned)};
    if (planned.outcome == PLANNER_ANSWERED) {
        answer->code = TAKE(planned.code);
        answer->said = remarks(&planned, request->explain);
    } else {
        answer->refusal = refusal_of(&planned);
    }
    return 0;
}
