/* OpenAI's responses: named events, the end is one of four of them. */
#include "bridge/providers/openai.h"

static char *
url(const struct endpoint *endpoint)
{
    return model_api_join(endpoint->base_url, "responses");
}

static json_t *
input_of(const struct conversation *conversation)
{
    json_t *input = json_array();

    for (size_t i = 0; i < conversation->count; i++) {
        const struct said *said = &conversation->said[i];
        if (said->role == ROLE_SYSTEM)
            continue;
        bool own = said->role == ROLE_ASSISTANT;
        json_array_append_new(
            input, json_pack("{s:s, s:s, s:[{s:s, s:s}]}", "type", "message", "role",
                             own ? "assistant" : "user", "content", "type",
                             own ? "output_text" : "input_text", "text", said->text));
    }
    return input;
}

static json_t *
body(const struct endpoint *endpoint, const struct conversation *conversation)
{
    json_t *body =
        json_pack("{s:s, s:s, s:o, s:b, s:I}", "model", endpoint->model, "instructions",
                  conversation->said[0].text, "input", input_of(conversation), "stream",
                  1, "max_output_tokens", (json_int_t)endpoint_answer_tokens(endpoint));

    if (!model_api_dropped(endpoint, DOWN_STORE))
        json_object_set_new(body, "store", json_false());
    model_api_add_parameters(body, endpoint);
    return body;
}

static void
read_usage(struct reply *reply, const json_t *response)
{
    const json_t *usage = json_object_get(response, "usage");
    const json_t *details = json_object_get(usage, "output_tokens_details");

    reply_set_tokens(&reply->usage.prompt, json_object_get(usage, "input_tokens"));
    reply_set_tokens(&reply->usage.completion, json_object_get(usage, "output_tokens"));
    reply_set_tokens(&reply->usage.reasoning,
                     json_object_get(details, "reasoning_tokens"));
    reply_set_model(reply, json_object_get(response, "model"));
}

static void
on_text(struct reply *reply, const json_t *event)
{
    reply_add_text(reply, json_object_get(event, "delta"));
}

static void
on_reasoning(struct reply *reply, const json_t *event)
{
    reply_add_reasoning(reply, json_object_get(event, "delta"));
}

static void
on_refusal(struct reply *reply, const json_t *event)
{
    reply_add_text(reply, json_object_get(event, "delta"));
    reply->was_refused = true;
}

static void
on_completed(struct reply *reply, const json_t *event)
{
    read_usage(reply, json_object_get(event, "response"));
    reply->stop = STOP_END;
    reply_complete(reply);
}

static void
on_incomplete(struct reply *reply, const json_t *event)
{
    static const struct stop_word reasons[] = {
        {"max_output_tokens", STOP_LENGTH  },
        {"content_filter",    STOP_FILTERED},
        {NULL,                STOP_NONE    },
    };
    const json_t *response = json_object_get(event, "response");
    const json_t *details = json_object_get(response, "incomplete_details");

    read_usage(reply, response);
    reply->stop = STOP_OTHER;
    reply_stop(reply, json_object_get(details, "reason"), reasons);
    reply_complete(reply);
}

static void
on_failed(struct reply *reply, const json_t *event)
{
    const json_t *response = json_object_get(event, "response");

    if (failure_from_json(&reply->failure, response))
        reply->has_failed = true;
    else
        reply_fail(reply, FAIL_SERVER, "the response failed");
}

/* A bare error event: its members are the error's own. */
static void
on_error(struct reply *reply, const json_t *event)
{
    json_auto_t *wrapped = json_pack("{s:O}", "error", event);

    if (failure_from_json(&reply->failure, wrapped))
        reply->has_failed = true;
}

static const struct {
    const char *type;
    void (*handle)(struct reply *reply, const json_t *event);
} handlers[] = {
    {"response.output_text.delta",            on_text      },
    {"response.reasoning_summary_text.delta", on_reasoning },
    {"response.reasoning_text.delta",         on_reasoning },
    {"response.refusal.delta",                on_refusal   },
    {"response.completed",                    on_completed },
    {"response.incomplete",                   on_incomplete},
    {"response.failed",                       on_failed    },
    {"error",                                 on_error     },
};

/* The answer of a server that does not stream: the response itself. */
static void
read_whole(struct reply *reply, const json_t *response)
{
    json_t *item, *part;
    size_t i, j;

    json_array_foreach (json_object_get(response, "output"), i, item) {
        json_array_foreach (json_object_get(item, "content"), j, part) {
            reply_add_text(reply, json_object_get(part, "text"));
        }
    }
    json_auto_t *event = json_pack("{s:O}", "response", response);
    const char *status = json_string_value(json_object_get(response, "status"));
    if (status && strcmp(status, "completed") == 0)
        on_completed(reply, event);
    else
        on_incomplete(reply, event);
}

static void
event(struct reply *reply, const struct sse_event *event)
{
    if (sse_is_done(event))
        return;
    json_auto_t *chunk = reply_parse(reply, event);
    const char *type = json_string_value(json_object_get(chunk, "type"));

    if (json_is_array(json_object_get(chunk, "output"))) {
        read_whole(reply, chunk);
        return;
    }
    for (size_t i = 0; type && i < COUNT_OF(handlers); i++)
        if (strcmp(handlers[i].type, type) == 0)
            handlers[i].handle(reply, chunk);
}

const struct model_api api_responses = {
    .name = "responses",
    .auth_prefix = "Authorization: Bearer ",
    .url = url,
    .models_url = openai_models_url,
    .body = body,
    .event = event,
};
