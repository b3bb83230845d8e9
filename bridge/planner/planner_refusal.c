#include "bridge/planner/planner_session.h"

static const char *
join_texts(struct planner_session *s, json_t *list, const char *quote)
{
    const char *text = "";
    size_t at;
    json_t *entry;

    json_array_foreach (list, at, entry)
        text = arena_printf(s->arena, "%s%s%s%s%s", text, at ? ", " : "", quote,
                            json_string_value(entry), quote);
    return text;
}

static const char *
what_was_understood(struct planner_session *s)
{
    json_auto_t *understood = json_array();

    if (s->draft.plan.aggregate != AGG_NONE)
        planner_session_add(understood, plan_aggregate_name(s->draft.plan.aggregate));
    for (unsigned i = 0; i < s->draft.mentions; i++)
        if (s->draft.mention[i].item)
            planner_session_add(
                understood, s->draft.frame->column[s->draft.mention[i].column].name);
    return json_array_size(understood)
               ? planner_session_say(s, "refuse.understood",
                                     join_texts(s, understood, ""), NULL)
               : planner_session_say(s, "refuse.nothing", NULL, NULL);
}

static void
set_message(struct planner_session *s, enum planner_outcome outcome,
            const char *message)
{
    s->answer->outcome = outcome;
    free(s->answer->message);
    s->answer->message = xstrdup(message);
}

void
planner_refusal_say(struct planner_session *s, const char *key, const char *a)
{
    s->answer->confidence = 0;
    set_message(s, PLANNER_REFUSED, planner_session_say(s, key, a, NULL));
}

void
planner_refusal_short(struct planner_session *s, const char *key)
{
    set_message(s, PLANNER_REFUSED, planner_session_say(s, key, NULL, NULL));
    s->answer->confidence = 0;
}

void
planner_refusal_write(struct planner_session *s)
{
    const char *text = planner_session_say(s, "refuse.lead", NULL, NULL);

    planner_alternatives_sure(s);
    text = arena_printf(s->arena, "%s %s", text, what_was_understood(s));
    if (s->unknown && !s->verdict.vague)
        text = arena_printf(
            s->arena, "%s %s", text,
            planner_session_say(s, s->unknown->refusal, s->unknown->about, NULL));
    else if (s->verdict.obstacle)
        text = arena_printf(
            s->arena, "%s %s", text,
            planner_session_say(s, s->verdict.obstacle, s->verdict.about, NULL));
    if (json_array_size(s->answer->not_understood))
        text = arena_printf(
            s->arena, "%s %s", text,
            planner_session_say(s, "refuse.not",
                                join_texts(s, s->answer->not_understood, "\""), NULL));
    if (json_array_size(s->answer->alternatives))
        text = arena_printf(
            s->arena, "%s %s", text,
            planner_session_say(s, "refuse.can",
                                join_texts(s, s->answer->alternatives, ""), NULL));
    set_message(s, PLANNER_REFUSED,
                arena_printf(s->arena, "%s %s", text,
                             planner_session_say(s, "refuse.configure", NULL, NULL)));
}

void
planner_refusal_ask(struct planner_session *s, const struct planner_table *choice)
{
    const char *names =
        arena_printf(s->arena, "%s, %s", s->profile->frame[choice->frame].name,
                     s->profile->frame[choice->rival].name);

    planner_session_add(s->answer->alternatives, s->profile->frame[choice->frame].name);
    planner_session_add(s->answer->alternatives, s->profile->frame[choice->rival].name);
    json_decref(s->answer->plan);
    s->answer->plan = json_pack("{s:O, s:o}", "asks", s->answer->alternatives, "asked",
                                json_stringn(s->question.data, s->question.len));
    set_message(s, PLANNER_ASKS, planner_session_say(s, "ask.frame", names, NULL));
}
