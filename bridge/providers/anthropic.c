/* Anthropic's messages: named events, the end is message_stop. */
#include "bridge/models/model_api.h"

static char *
url(const struct endpoint *endpoint)
{
    return model_api_join(endpoint->base_url, "v1/messages");
}

static char *
models_url(const struct endpoint *endpoint)
{
    return model_api_join(endpoint->base_url, "v1/models");
}

static json_t *
messages(const struct conversation *conversation)
{
    json_t *list = json_array();

    for (size_t i = 0; i < conversation->count; i++) {
        const struct said *said = &conversation->said[i];
        if (said->role != ROLE_SYSTEM)
            json_array_append_new(
                list, json_pack("{s:s, s:s}", "role",
                                said->role == ROLE_ASSISTANT ? "assistant" : "user",
                                "content", said->text));
    }
    return list;
}

static json_t *
body(const struct endpoint *endpoint, const struct conversation *conversation)
{
    json_t *body = json_pack("{s:s, s:I, s:s, s:o, s:b}", "model", endpoint->model,
                             "max_tokens", (json_int_t)endpoint_answer_tokens(endpoint),
                             "system", conversation->said[0].text, "messages",
                             messages(conversation), "stream", 1);

    if (!model_api_dropped(endpoint, DOWN_TEMPERATURE))
        json_object_set_new(body, "temperature", json_integer(0));
    model_api_add_parameters(body, endpoint);
    return body;
}

static const struct stop_word stop_words[] = {
    {"end_turn",                      STOP_END    },
    {"stop_sequence",                 STOP_END    },
    {"max_tokens",                    STOP_LENGTH },
    {"model_context_window_exceeded", STOP_LENGTH },
    {"refusal",                       STOP_REFUSED},
    {NULL,                            STOP_NONE   },
};

/* What was read from the cache was part of the prompt too. */
static void
read_usage(struct reply *reply, const json_t *usage)
{
    static const char *const parts[] = {"input_tokens", "cache_creation_input_tokens",
                                        "cache_read_input_tokens"};
    json_int_t sum = 0;

    for (size_t i = 0; i < COUNT_OF(parts); i++)
        sum += json_integer_value(json_object_get(usage, parts[i]));
    if (json_object_get(usage, "input_tokens") && sum >= 0 && sum < 1000000000)
        reply->usage.prompt = (long)sum;
    reply_set_tokens(&reply->usage.completion, json_object_get(usage, "output_tokens"));
}

static void
on_message_start(struct reply *reply, const json_t *event)
{
    const json_t *message = json_object_get(event, "message");

    reply_set_model(reply, json_object_get(message, "model"));
    read_usage(reply, json_object_get(message, "usage"));
}

static void
on_block_start(struct reply *reply, const json_t *event)
{
    reply_add_text(reply,
                   json_object_get(json_object_get(event, "content_block"), "text"));
}

static void
on_block_delta(struct reply *reply, const json_t *event)
{
    const json_t *delta = json_object_get(event, "delta");

    reply_add_text(reply, json_object_get(delta, "text"));
    reply_add_reasoning(reply, json_object_get(delta, "thinking"));
}

static void
on_message_delta(struct reply *reply, const json_t *event)
{
    const json_t *delta = json_object_get(event, "delta");

    read_usage(reply, json_object_get(event, "usage"));
    reply_stop(reply, json_object_get(delta, "stop_reason"), stop_words);
}

static void
on_message_stop(struct reply *reply, const json_t *event UNUSED)
{
    if (reply->stop == STOP_NONE)
        reply_fail(reply, FAIL_TRUNCATED, "message_stop without a stop_reason");
    reply_complete(reply);
}

/* The answer of a server that does not stream. */
static void
on_message(struct reply *reply, const json_t *message)
{
    json_t *block;
    size_t i;

    json_array_foreach (json_object_get(message, "content"), i, block) {
        reply_add_text(reply, json_object_get(block, "text"));
    }
    reply_set_model(reply, json_object_get(message, "model"));
    read_usage(reply, json_object_get(message, "usage"));
    reply_stop(reply, json_object_get(message, "stop_reason"), stop_words);
    on_message_stop(reply, message);
}

static const struct {
    const char *type;
    void (*handle)(struct reply *reply, const json_t *event);
} handlers[] = {
    {"message_start",       on_message_start},
    {"content_block_start", on_block_start  },
    {"content_block_delta", on_block_delta  },
    {"message_delta",       on_message_delta},
    {"message_stop",        on_message_stop },
    {"message",             on_message      },
};

static void
event(struct reply *reply, const struct sse_event *event)
{
    if (sse_is_done(event)) /* a proxy's */
        return;
    json_auto_t *chunk = reply_parse(reply, event);
    const char *type = json_string_value(json_object_get(chunk, "type"));

    for (size_t i = 0; type && i < COUNT_OF(handlers); i++)
        if (strcmp(handlers[i].type, type) == 0)
            handlers[i].handle(reply, chunk);
}

const struct model_api api_anthropic = {
    .name = "anthropic",
    .auth_prefix = "x-api-key: ",
    .header = "anthropic-version: 2023-06-01",
    .url = url,
    .models_url = models_url,
    .body = body,
    .event = event,
};
