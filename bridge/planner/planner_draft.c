#include "bridge/planner/emit/emit.h"
#include "bridge/planner/planner_session.h"
#include "bridge/planner/program/program.h"
#include "bridge/planner/restyle/restyle.h"

enum {
    BINS_MAX = 500,
    GRAIN_FREELY_MAX = 40, /* dates that a chart shows as they are */
};

/* Below the bar an answer is more likely wrong than right: measured by bench/. */
static const double answer_least = 0.5, sure_least = 0.82;

/* Dates in their thousands are shown by month or year, unless the question says. */
static void
choose_grain(struct planner_session *s)
{
    struct plan *plan = &s->draft.plan;
    const struct column *x = plan->x >= 0 ? &s->draft.frame->column[plan->x] : NULL;

    if (!x || plan->grain || x->kind != COLUMN_DATE || x->unique <= GRAIN_FREELY_MAX ||
        x->days < 0 || plan->aggregate == AGG_NONE ||
        (plan->mark != MARK_BAR && plan->mark != MARK_LINE))
        return;
    plan->grain = x->days > 3 * 366 ? GRAIN_YEAR
                  : x->days > 92    ? GRAIN_MONTH
                                    : GRAIN_DAY;
    draft_note(&s->draft, "assume.grain", x->name,
               planner_session_say(
                   s, arena_printf(s->arena, "grain.%s", plan_grain_name(plan->grain)),
                   NULL, NULL));
}

/* A bar for each atom helps nobody. */
static void
widen_bins(struct planner_session *s)
{
    struct plan *plan = &s->draft.plan;
    const struct column *x = plan->x >= 0 ? &s->draft.frame->column[plan->x] : NULL;

    if (!x || plan->bin_width <= 0 || !x->has_range ||
        (x->high - x->low) / plan->bin_width < BINS_MAX)
        return;
    plan->bin_width = 0;
    draft_note(&s->draft, "assume.bins", x->name, NULL);
}

bool
planner_draft_is_nameless(const struct planner_session *s)
{
    return !s->draft.frame->is_file && !python_may_name(s->draft.frame->name);
}

/* Operators that plans have no part for: a draft that meets one has dropped it. */
static bool
is_beyond_drafts(const struct draft *draft)
{
    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = &draft->reading->item[i];

        if (item->kind == ITEM_TERM && item->term >= TERM_CUMULATIVE &&
            item->term < TERM_UNIT && item->term != TERM_DIFFERENCE &&
            item->term != TERM_TIMES && item->term != TERM_HORIZONTAL)
            return true;
        if (item->kind == ITEM_TERM && item->term == TERM_UNIT && !item->is_used &&
            !draft->has_bin && draft->plan.aggregate == AGG_COUNT && draft->plan.y < 0)
            return true; /* "pounds per device", of which there are none */
    }
    return false;
}

/* Beside what a verdict has counted: drafts are right less often than queries are, and
 * lists least, as parse_weigh.c says of queries. */
static double
calibrated(const struct draft *draft, double confidence)
{
    const struct plan *plan = &draft->plan;

    if (draft->is_followup)
        return confidence;
    confidence *= 0.97 * 0.89;
    switch (plan->intent) {
    case INTENT_ROWS:
    case INTENT_UNIQUE:
        return confidence * (plan->limit ? 0.90 : 0.75);
    case INTENT_TABLE:
        return confidence * 0.82;
    case INTENT_COLUMNS:
    case INTENT_MISSING:
    case INTENT_DESCRIBE:
    case INTENT_CORRELATION:
    case INTENT_CHART:
    case INTENT_VALUE:
        break;
    }
    return confidence;
}

void
planner_draft_answer(struct planner_session *s)
{
    struct planner_answer *answer = s->answer;

    choose_grain(s);
    widen_bins(s);
    s->verdict = judge(&s->draft);
    if (planner_draft_is_nameless(s)) {
        s->verdict.obstacle = "refuse.name";
        s->verdict.about = s->draft.frame->name;
    }
    if (s->is_lost_followup)
        s->verdict.obstacle = "refuse.follow";
    answer->confidence = s->verdict.obstacle ? 0 : s->verdict.confidence;
    if (s->is_refused || s->verdict.strangers || is_beyond_drafts(&s->draft)) {
        /* A word that nothing has taken may change the answer. */
        answer->confidence = 0;
        s->verdict.obstacle =
            s->verdict.obstacle ? s->verdict.obstacle : "refuse.unread";
    }
    json_decref(answer->plan);
    answer->plan = plan_to_json(&s->draft.plan, s->draft.frame);
    for (unsigned i = 0; i < s->draft.notes; i++)
        if (strcmp(s->draft.note[i].key, "assume.follow") == 0)
            s->draft.note[i].arg[0] =
                emit_title(&s->draft.plan, s->draft.frame, s->lexicon, s->arena);
    planner_assumptions_tell(s);
    planner_assumptions_strangers(s);
    if (answer->confidence < sure_least)
        planner_alternatives_offer(s);
    if (answer->confidence < answer_least) {
        planner_refusal_write(s);
        return;
    }
    if (!s->is_agreed)
        answer->confidence = calibrated(&s->draft, answer->confidence);
    planner_explain_draft(s);
    struct query *query = arena_alloc(s->arena, 1, sizeof(*query));
    if ((s->draft.is_followup || s->is_agreed) &&
        restyle_plan_as_query(query, s->arena, s->draft.frame, &s->draft.plan)) {
        json_decref(answer->plan);
        answer->plan = query_to_json(s->arena, query);
        free(answer->code);
        answer->code = program_write(query, s->profile, s->lexicon, s->arena);
        return;
    }
    free(answer->code);
    answer->code =
        emit_program(&s->draft.plan, s->draft.frame, s->profile, s->lexicon, s->arena);
}

/* Charts of rows, summaries and the like: what a draft says with nothing left over. */
bool
planner_draft_is_sound(struct planner_session *s)
{
    struct draft *draft = arena_alloc(s->arena, 1, sizeof(*draft));

    *draft = s->draft;
    struct verdict verdict = judge(draft);
    return !verdict.obstacle && verdict.strangers == 0 &&
           verdict.confidence >= sure_least && !is_beyond_drafts(draft);
}
