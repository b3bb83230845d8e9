#include "bridge/asking/asking.h"

json_t *
asking_tokens(long prompt, long completion, long reasoning)
{
    json_t *out = json_object();

    if (prompt >= 0)
        json_object_set_new(out, "prompt", json_integer(prompt));
    if (completion >= 0)
        json_object_set_new(out, "completion", json_integer(completion));
    if (reasoning > 0)
        json_object_set_new(out, "reasoning", json_integer(reasoning));
    return out;
}

static void
add_provider(const struct bridge_ask *ask, json_t *out)
{
    if (!ask->endpoint)
        return;
    json_object_set_new(out, "provider", json_string(ask->endpoint->provider));
    json_object_set_new(out, "api", json_string(ask->endpoint->api->name));
    json_object_set_new(out, "model", json_string(ask->endpoint->model));
    if (ask->reported_model[0])
        json_object_set_new(out, "reported_model", json_string(ask->reported_model));
}

/* Which cell was repaired, and of what. */
static void
add_failure(const struct bridge_ask *ask, json_t *out)
{
    const json_t *failure = json_object_get(ask->profile, "failure");
    const json_t *ename = json_object_get(failure, "ename");
    json_int_t cell = json_integer_value(json_object_get(failure, "count"));

    json_object_set_new(
        out, "fix",
        json_pack("{s:I, s:s}", "cell", cell, "ename",
                  json_is_string(ename) ? json_string_value(ename) : ""));
}

json_t *
asking_metadata(const struct bridge_ask *ask)
{
    json_t *attempts = json_array();
    json_t *out = json_pack("{s:s, s:i, s:o}", "question", ask->magic.question, "level",
                            ask->level, "attempts", attempts);

    for (size_t i = 0; i < ask->attempt_count; i++)
        json_array_append(attempts, ask->attempts[i].record);
    if (ask->magic.fix)
        add_failure(ask, out);
    add_provider(ask, out);
    json_object_set_new(out, "tokens",
                        asking_tokens(ask->prompt_tokens, ask->completion_tokens,
                                      ask->reasoning_tokens));
    json_object_set_new(out, "model_ms", json_integer(ask->model_ms));
    json_object_set_new(
        out, "ms", json_integer(alarms_now_ms(ask->bridge->alarms) - ask->started_ms));
    json_object_set_new(out, "cached",
                        json_boolean(ask->all_cached && ask->attempt_count));
    if (ask->info.left_out)
        json_object_set_new(out, "left_out", json_string(ask->info.left_out));
    if (ask->warning)
        json_object_set_new(out, "warning", json_string(ask->warning));
    if (ask->findings)
        json_object_set_new(out, "chart", json_string(ask->findings));
    if (ask->plan)
        json_object_set(out, "plan", ask->plan);
    if (ask->failure && *ask->failure)
        json_object_set_new(out, "failure", json_string(ask->failure));
    return out;
}
