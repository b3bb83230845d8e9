/* How an answer is worked out, step by step, for --explain. */
#include "bridge/planner/emit/emit.h"
#include "bridge/planner/planner_session.h"
#include "bridge/planner/restyle/restyle.h"

struct steps {
    struct planner_session *s;
    const char *text;
    int count;
};

static void
step(struct steps *steps, const char *key, const char *a, const char *b)
{
    const char *said = planner_session_say(steps->s, key, a, b);

    steps->count++;
    steps->text = arena_printf(steps->s->arena, "%s%s%d. %s", steps->text,
                               steps->count > 1 ? "; " : "", steps->count, said);
}

static const char *
tests_of(struct arena *arena, const struct query *query)
{
    const char *text = "";

    for (unsigned i = 0; i < query->tests; i++)
        text = arena_printf(arena, "%s%s%s", text,
                            i == 0                 ? ""
                            : query->test[i].is_or ? " or "
                                                   : " and ",
                            query_test_name(arena, query->frame, &query->test[i]));
    return text;
}

static const char *
keys_of(struct arena *arena, const struct query *query)
{
    const char *text = "";

    for (unsigned i = 0; i < query->keys; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "",
                            query_value_name(arena, query->frame, query->key[i]));
    return text;
}

static const char *
amounts_of(struct arena *arena, const struct query *query)
{
    const char *text = "";

    for (unsigned i = 0; i < query->amounts; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "",
                            query_amount_name(arena, query, &query->amount[i]));
    return text;
}

static void
explain_groups(struct steps *steps, const struct query *query)
{
    static const char *const alongs[ALONG_TOTAL] = {
        [ALONG_CUMULATIVE] = "explain.cumulative",
        [ALONG_CHANGE] = "explain.change",
        [ALONG_PERCENT] = "explain.percent",
        [ALONG_ROLLING] = "explain.rolling",
        [ALONG_ROLLING_SUM] = "explain.rollingsum",
        [ALONG_YEAR_BEFORE] = "explain.yearbefore",
    };
    struct arena *arena = steps->s->arena;
    const char *window = arena_printf(arena, "%d", query->window);

    if (query->keys)
        step(steps, "explain.keys", keys_of(arena, query), NULL);
    if (query->amounts)
        step(steps, "explain.amounts", amounts_of(arena, query), NULL);
    if (query->having.is_there)
        step(steps, "explain.having",
             query_amount_name(arena, query, &query->having.amount),
             arena_printf(arena, "%s %.12g", plan_operator_name(query->having.op),
                          query->having.number));
    if (query->along)
        step(steps, alongs[query->along], window, NULL);
    if (query->share)
        step(steps, "explain.share", NULL, NULL);
    if (query->is_compared)
        step(steps, "explain.compared", NULL, NULL);
}

static const char *
explanation_of(struct planner_session *s, const struct query *query)
{
    struct steps steps = {s, "", 0};

    step(&steps, "explain.table", query->frame->name, NULL);
    if (query->tests)
        step(&steps, "explain.tests", tests_of(s->arena, query), NULL);
    if (query->shape == SHAPE_OUTLIERS)
        step(&steps, "explain.outliers", NULL, NULL);
    if (query->shape != SHAPE_OUTLIERS)
        explain_groups(&steps, query);
    if (query->rank.is_there && query->rank.count)
        step(&steps, query->rank.is_low ? "explain.bottom" : "explain.top",
             arena_printf(s->arena, "%d%s", query->rank.count,
                          query->rank.is_percent ? " %" : ""),
             query->rank.by ? query_value_name(s->arena, query->frame, query->rank.by)
                            : amounts_of(s->arena, query));
    return steps.text;
}

void
planner_explain_query(struct planner_session *s, const struct query *query)
{
    free(s->answer->explanation);
    s->answer->explanation = xstrdup(explanation_of(s, query));
}

void
planner_explain_draft(struct planner_session *s)
{
    struct query *query = arena_alloc(s->arena, 1, sizeof(*query));
    const struct plan *plan = &s->draft.plan;

    if (restyle_plan_as_query(query, s->arena, s->draft.frame, plan)) {
        planner_explain_query(s, query);
        return;
    }
    struct steps steps = {s, "", 0};
    step(&steps, "explain.table", s->draft.frame->name, NULL);
    step(&steps, "explain.title",
         emit_title(plan, s->draft.frame, s->lexicon, s->arena), NULL);
    free(s->answer->explanation);
    s->answer->explanation = xstrdup(steps.text);
}
