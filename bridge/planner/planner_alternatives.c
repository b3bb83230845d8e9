#include "bridge/planner/emit/emit.h"
#include "bridge/planner/planner_session.h"

enum {
    SUGGESTIONS_MAX = 3,
};

static void
offer(struct planner_session *s, const struct plan *plan)
{
    if (json_array_size(s->answer->alternatives) < SUGGESTIONS_MAX)
        planner_session_add(s->answer->alternatives,
                            emit_title(plan, s->draft.frame, s->lexicon, s->arena));
}

static void
offer_rivals(struct planner_session *s, const struct mention *mention)
{
    for (unsigned i = 0; mention->item && i < mention->item->links; i++) {
        struct plan plan = s->draft.plan;
        int other = mention->item->link[i].column;

        if (other == mention->column || mention->score > 0.95f ||
            mention->item->link[i].score < mention->score - 0.05f || other == plan.x ||
            other == plan.y || other == plan.series)
            continue;
        if (plan.x == mention->column)
            plan.x = other;
        else if (plan.y == mention->column)
            plan.y = other;
        else if (plan.series == mention->column)
            plan.series = other;
        else
            continue;
        offer(s, &plan);
    }
}

void
planner_alternatives_offer(struct planner_session *s)
{
    if (s->draft.is_aggregate_implied) {
        struct plan plan = s->draft.plan;

        plan.aggregate = plan.aggregate == AGG_SUM ? AGG_MEAN : AGG_SUM;
        offer(s, &plan);
    }
    for (unsigned i = 0; i < s->draft.mentions; i++)
        if (!s->draft.mention[i].is_dropped)
            offer_rivals(s, &s->draft.mention[i]);
}

static int
find_role(const struct planner_session *s, enum column_role role, int not_this)
{
    for (unsigned i = 0; i < s->draft.mentions; i++)
        if (s->draft.frame->column[s->draft.mention[i].column].role == role &&
            s->draft.mention[i].column != not_this)
            return s->draft.mention[i].column;
    for (int i = 0; i < s->draft.frame->columns; i++)
        if (s->draft.frame->column[i].role == role && i != not_this)
            return i;
    return -1;
}

/* Near what was asked, and sure to work. */
void
planner_alternatives_sure(struct planner_session *s)
{
    struct plan plan = PLAN_INIT;
    int name = find_role(s, ROLE_NOMINAL, -1), time = find_role(s, ROLE_TIME, -1);

    plan.mark = MARK_BAR;
    plan.y = find_role(s, ROLE_QUANTITY, -1);
    plan.aggregate = plan.y >= 0 ? AGG_MEAN : AGG_COUNT;
    for (int i = 0; i < 2; i++) {
        plan.x = i ? time : name;
        if (plan.x >= 0)
            offer(s, &plan);
    }
}
