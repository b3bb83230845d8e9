/* Gemini: Google's developer API, and the same on Vertex AI. There is no end marker but
 * the finishReason of the candidate. */
#include "bridge/models/model_api.h"

static json_t *
content(const char *role, const char *text)
{
    return role ? json_pack("{s:s, s:[{s:s}]}", "role", role, "parts", "text", text)
                : json_pack("{s:[{s:s}]}", "parts", "text", text);
}

static json_t *
contents_of(const struct conversation *conversation)
{
    json_t *list = json_array();

    for (size_t i = 0; i < conversation->count; i++) {
        const struct said *said = &conversation->said[i];
        if (said->role != ROLE_SYSTEM)
            json_array_append_new(
                list,
                content(said->role == ROLE_ASSISTANT ? "model" : "user", said->text));
    }
    return list;
}

static json_t *
body(const struct endpoint *endpoint, const struct conversation *conversation)
{
    json_t *generation =
        json_pack("{s:I, s:i}", "maxOutputTokens",
                  (json_int_t)endpoint_answer_tokens(endpoint), "candidateCount", 1);

    if (!model_api_dropped(endpoint, DOWN_TEMPERATURE))
        json_object_set_new(generation, "temperature", json_integer(0));
    if (endpoint->parameters) /* here they belong one level deeper */
        json_object_update(generation, endpoint->parameters);
    return json_pack("{s:o, s:o, s:o}", "systemInstruction",
                     content(NULL, conversation->said[0].text), "contents",
                     contents_of(conversation), "generationConfig", generation);
}

static const struct stop_word stop_words[] = {
    {"STOP",               STOP_END     },
    {"MAX_TOKENS",         STOP_LENGTH  },
    {"SAFETY",             STOP_FILTERED},
    {"RECITATION",         STOP_FILTERED},
    {"LANGUAGE",           STOP_FILTERED},
    {"BLOCKLIST",          STOP_FILTERED},
    {"PROHIBITED_CONTENT", STOP_FILTERED},
    {"SPII",               STOP_FILTERED},
    {"MODEL_ARMOR",        STOP_FILTERED},
    {NULL,                 STOP_NONE    },
};

static void
read_parts(struct reply *reply, const json_t *candidate)
{
    const json_t *parts =
        json_object_get(json_object_get(candidate, "content"), "parts");
    json_t *part;
    size_t i;

    json_array_foreach (parts, i, part) {
        if (json_is_true(json_object_get(part, "thought")))
            reply_add_reasoning(reply, json_object_get(part, "text"));
        else
            reply_add_text(reply, json_object_get(part, "text"));
    }
}

static void
read_usage(struct reply *reply, const json_t *chunk)
{
    const json_t *usage = json_object_get(chunk, "usageMetadata");

    reply_set_tokens(&reply->usage.prompt, json_object_get(usage, "promptTokenCount"));
    reply_set_tokens(&reply->usage.completion,
                     json_object_get(usage, "candidatesTokenCount"));
    reply_set_tokens(&reply->usage.reasoning,
                     json_object_get(usage, "thoughtsTokenCount"));
}

static void
read_block(struct reply *reply, const json_t *chunk)
{
    const json_t *feedback = json_object_get(chunk, "promptFeedback");
    const char *reason = json_string_value(json_object_get(feedback, "blockReason"));

    if (reason)
        reply_fail(reply, FAIL_FILTERED, "blockReason %s", reason);
}

static const json_t *
first_candidate(const json_t *chunk)
{
    json_t *candidate;
    size_t i;

    json_array_foreach (json_object_get(chunk, "candidates"), i, candidate) {
        if (json_integer_value(json_object_get(candidate, "index")) == 0)
            return candidate;
    }
    return NULL;
}

static void
event(struct reply *reply, const struct sse_event *event)
{
    if (sse_is_done(event)) /* a proxy's */
        return;
    json_auto_t *chunk = reply_parse(reply, event);
    const json_t *candidate = first_candidate(chunk);

    if (!chunk)
        return;
    if (!candidate)
        read_block(reply, chunk);
    reply_set_model(reply, json_object_get(chunk, "modelVersion"));
    read_usage(reply, chunk);
    read_parts(reply, candidate);
    reply_stop(reply, json_object_get(candidate, "finishReason"), stop_words);
}

/* --- the developer API --- */

static char *
url(const struct endpoint *endpoint)
{
    AUTO(mem) char *path =
        xasprintf("models/%s:streamGenerateContent?alt=sse", endpoint->model);

    return model_api_join(endpoint->base_url, path);
}

static char *
models_url(const struct endpoint *endpoint)
{
    return model_api_join(endpoint->base_url, "models");
}

const struct model_api api_gemini = {
    .name = "gemini",
    .auth_prefix = "x-goog-api-key: ",
    .may_end_silently = true,
    .url = url,
    .models_url = models_url,
    .body = body,
    .event = event,
};

/* --- Vertex AI --- */

/* Multi-regions and `global` have names of their own. */
static char *
vertex_base(const struct endpoint *endpoint)
{
    const char *location = endpoint->location;

    if (endpoint->base_url && *endpoint->base_url)
        return xstrdup(endpoint->base_url);
    if (strcmp(location, "global") == 0)
        return xstrdup("https://aiplatform.googleapis.com");
    if (strcmp(location, "us") == 0 || strcmp(location, "eu") == 0)
        return xasprintf("https://aiplatform.%s.rep.googleapis.com", location);
    return xasprintf("https://%s-aiplatform.googleapis.com", location);
}

static char *
vertex_url(const struct endpoint *endpoint)
{
    AUTO(mem) char *base = vertex_base(endpoint);
    AUTO(mem) char *path =
        xasprintf("v1/projects/%s/locations/%s/publishers/google/models/"
                  "%s:streamGenerateContent?alt=sse",
                  endpoint->project, endpoint->location, endpoint->model);

    return model_api_join(base, path);
}

const struct model_api api_vertex = {
    .name = "vertex",
    .auth_prefix = "Authorization: Bearer ",
    .may_end_silently = true,
    .takes_token = true,
    .url = vertex_url,
    .body = body,
    .event = event,
};
