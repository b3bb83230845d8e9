/* OpenAI's chat completions, which vLLM, llama.cpp, Ollama and most others speak too.
 */
#include "bridge/providers/openai.h"

static char *
url(const struct endpoint *endpoint)
{
    return model_api_join(endpoint->base_url, "chat/completions");
}

static const char *
role_name(const struct endpoint *endpoint, enum role role)
{
    switch (role) {
    case ROLE_SYSTEM:
        return model_api_dropped(endpoint, DOWN_SYSTEM_ROLE) ? "developer" : "system";
    case ROLE_USER:
        return "user";
    case ROLE_ASSISTANT:
        return "assistant";
    }
    return "user";
}

static json_t *
messages(const struct endpoint *endpoint, const struct conversation *conversation)
{
    json_t *list = json_array();

    for (size_t i = 0; i < conversation->count; i++) {
        const struct said *said = &conversation->said[i];
        json_array_append_new(list, json_pack("{s:s, s:s}", "role",
                                              role_name(endpoint, said->role),
                                              "content", said->text));
    }
    return list;
}

static const char *
token_field(const struct endpoint *endpoint)
{
    bool newer = strcmp(endpoint->token_field, "max_completion_tokens") == 0;

    if (model_api_dropped(endpoint, DOWN_TOKEN_FIELD))
        newer = !newer;
    return newer ? "max_completion_tokens" : "max_tokens";
}

static json_t *
body(const struct endpoint *endpoint, const struct conversation *conversation)
{
    json_t *body = json_pack("{s:s, s:o, s:b}", "model", endpoint->model, "messages",
                             messages(endpoint, conversation), "stream", 1);

    if (!model_api_dropped(endpoint, DOWN_STREAM_OPTIONS))
        json_object_set_new(body, "stream_options",
                            json_pack("{s:b}", "include_usage", 1));
    json_object_set_new(body, token_field(endpoint),
                        json_integer(endpoint_answer_tokens(endpoint)));
    if (!model_api_dropped(endpoint, DOWN_TEMPERATURE))
        json_object_set_new(body, "temperature", json_integer(0));
    model_api_add_parameters(body, endpoint);
    return body;
}

static void
read_refusal(struct reply *reply, const json_t *delta)
{
    const json_t *refusal = json_object_get(delta, "refusal");

    if (!json_string_length(refusal))
        return;
    reply_add_text(reply, refusal);
    reply->was_refused = true;
}

static void
read_delta(struct reply *reply, const json_t *delta)
{
    reply_add_text(reply, json_object_get(delta, "content"));
    reply_add_reasoning(reply, json_object_get(delta, "reasoning_content"));
    reply_add_reasoning(reply, json_object_get(delta, "reasoning"));
    read_refusal(reply, delta);
}

static void
read_choice(struct reply *reply, const json_t *choice)
{
    read_delta(reply, json_object_get(choice, "delta"));
    read_delta(reply, json_object_get(choice, "message")); /* it did not stream */
}

static const struct stop_word stop_words[] = {
    {"stop",           STOP_END     },
    {"length",         STOP_LENGTH  },
    {"content_filter", STOP_FILTERED},
    {NULL,             STOP_NONE    },
};

static void
event(struct reply *reply, const struct sse_event *event)
{
    openai_read_event(reply, event, read_choice, stop_words);
}

const struct model_api api_chat = {
    .name = "chat",
    .auth_prefix = "Authorization: Bearer ",
    .may_end_silently = true,
    .url = url,
    .models_url = openai_models_url,
    .body = body,
    .event = event,
};
