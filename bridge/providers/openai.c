#include "bridge/providers/openai.h"

const struct stop_word openai_stop_words[] = {
    {"stop",           STOP_END     },
    {"length",         STOP_LENGTH  },
    {"content_filter", STOP_FILTERED},
    {NULL,             STOP_NONE    },
};

char *
openai_models_url(const struct endpoint *endpoint)
{
    return wire_join(endpoint->base_url, "models");
}

void
openai_done(struct reply *reply)
{
    if (reply->stop == STOP_NONE)
        reply_fail(reply, FAIL_TRUNCATED, "[DONE] without a finish_reason");
    reply_complete(reply);
}

void
openai_read_usage(struct reply *reply, const json_t *event)
{
    const json_t *usage = json_object_get(event, "usage");
    const json_t *details = json_object_get(usage, "completion_tokens_details");

    reply_set_tokens(&reply->usage.prompt, json_object_get(usage, "prompt_tokens"));
    reply_set_tokens(&reply->usage.completion,
                     json_object_get(usage, "completion_tokens"));
    reply_set_tokens(&reply->usage.reasoning,
                     json_object_get(details, "reasoning_tokens"));
}

const json_t *
openai_choice(const json_t *event)
{
    json_t *choice;
    size_t i;

    json_array_foreach (json_object_get(event, "choices"), i, choice) {
        if (json_integer_value(json_object_get(choice, "index")) == 0)
            return choice;
    }
    return NULL;
}
