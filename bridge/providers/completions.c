/* Plain completions, for base models that go on from a text: code models above all. */
#include "bridge/providers/openai.h"

static char *
url(const struct endpoint *endpoint)
{
    return model_api_join(endpoint->base_url, "completions");
}

static json_t *
body(const struct endpoint *endpoint, const struct conversation *conversation)
{
    const struct said *last = &conversation->said[conversation->count - 1];
    json_t *body =
        json_pack("{s:s, s:s, s:b, s:I, s:i}", "model", endpoint->model, "prompt",
                  last->text, "stream", 1, "max_tokens",
                  (json_int_t)endpoint_answer_tokens(endpoint), "temperature", 0);

    if (!model_api_dropped(endpoint, DOWN_STREAM_OPTIONS))
        json_object_set_new(body, "stream_options",
                            json_pack("{s:b}", "include_usage", 1));
    if (!model_api_dropped(endpoint, DOWN_STOP))
        json_object_set_new(
            body, "stop", json_pack("[s, s, s]", "\n\n\n", "\n# Question", "\n# Task"));
    model_api_add_parameters(body, endpoint);
    return body;
}

/* A base model goes on until its limit as a rule. What it wrote behind its program is
 * cut off (extract), and the check takes whole statements only. */
static const struct stop_word stop_words[] = {
    {"stop",           STOP_END     },
    {"length",         STOP_END     },
    {"content_filter", STOP_FILTERED},
    {NULL,             STOP_NONE    },
};

static void
read_choice(struct reply *reply, const json_t *choice)
{
    reply_add_text(reply, json_object_get(choice, "text"));
}

static void
event(struct reply *reply, const struct sse_event *event)
{
    openai_read_event(reply, event, read_choice, stop_words);
}

const struct model_api api_completions = {
    .name = "completions",
    .auth_prefix = "Authorization: Bearer ",
    .continues_text = true,
    .may_end_silently = true,
    .url = url,
    .models_url = openai_models_url,
    .body = body,
    .event = event,
};
