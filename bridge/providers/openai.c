#include "bridge/providers/openai.h"

char *
openai_models_url(const struct endpoint *endpoint)
{
    return model_api_join(endpoint->base_url, "models");
}

/* The end marker came: fine after a stop word, else the answer is cut. */
static void
end(struct reply *reply)
{
    if (reply->stop == STOP_NONE)
        reply_fail(reply, FAIL_TRUNCATED, "[DONE] without a finish_reason");
    reply_complete(reply);
}

static void
read_usage(struct reply *reply, const json_t *event)
{
    const json_t *usage = json_object_get(event, "usage");
    const json_t *details = json_object_get(usage, "completion_tokens_details");

    reply_set_tokens(&reply->usage.prompt, json_object_get(usage, "prompt_tokens"));
    reply_set_tokens(&reply->usage.completion,
                     json_object_get(usage, "completion_tokens"));
    reply_set_tokens(&reply->usage.reasoning,
                     json_object_get(details, "reasoning_tokens"));
}

/* That with index 0. */
static const json_t *
first_choice(const json_t *event)
{
    json_t *choice;
    size_t i;

    json_array_foreach (json_object_get(event, "choices"), i, choice) {
        if (json_integer_value(json_object_get(choice, "index")) == 0)
            return choice;
    }
    return NULL;
}

void
openai_read_event(struct reply *reply, const struct sse_event *event,
                  openai_choice_fn *read, const struct stop_word *stop_words)
{
    if (sse_is_done(event)) {
        end(reply);
        return;
    }
    json_auto_t *chunk = reply_parse(reply, event);
    const json_t *choice = first_choice(chunk);
    if (!chunk)
        return;
    reply_set_model(reply, json_object_get(chunk, "model"));
    read_usage(reply, chunk);
    read(reply, choice);
    reply_stop(reply, json_object_get(choice, "finish_reason"), stop_words);
}
