/*
 * model_api: how to talk to one kind of model server. A new one is a file in providers/
 * and a row in model_api.c.
 */
#pragma once

#include <jansson.h>

#include "bridge/models/conversation.h"
#include "bridge/models/endpoint.h"
#include "bridge/models/reply.h"

struct model_api {
    const char *name;        /* its name in the configuration */
    const char *auth_prefix; /* of the header that carries the key */
    const char *header;      /* one more, or NULL */
    bool continues_text;     /* the prompt is text to go on from, not a conversation */
    bool may_end_silently;   /* end of stream after a stop word is a legal end */
    bool is_local;           /* no server: spec.local of bridge.h answers */
    bool takes_token;        /* a token that expires, not a key */

    char *(*url)(const struct endpoint *endpoint);
    char *(*models_url)(const struct endpoint *endpoint);
    json_t *(*body)(const struct endpoint *endpoint,
                    const struct conversation *conversation);
    /* One event of the stream, or the whole answer of a server that does not stream. */
    void (*event)(struct reply *reply, const struct sse_event *event);
};

/* NULL if there is no API of that name. */
const struct model_api *model_api_find(const char *name);
const char *model_api_list(void); /* all names, for messages */

/* base + path, with exactly one slash between. */
char *model_api_join(const char *base, const char *path);

bool model_api_dropped(const struct endpoint *endpoint, enum downgrade what);

/* Overwrites members of the body with the endpoint's own parameters. */
void model_api_add_parameters(json_t *body, const struct endpoint *endpoint);

extern const struct model_api api_chat, api_completions, api_responses, api_gemini,
    api_vertex, api_anthropic, api_planner;
