/*
 * endpoint: one provider with one model, with all that is needed to ask it. Made by
 * config, used by the providers' files and by turn.
 */
#pragma once

#include <jansson.h>

#include "bridge/models/secret.h"

struct model_api;

/* Fields that some servers refuse: each is dropped or renamed once, after the server
 * has refused it. */
#define DOWNGRADES(X)                                     \
    X(TOKEN_FIELD, "max_completion_tokens", "max_tokens") \
    X(TEMPERATURE, "temperature", NULL)                   \
    X(STREAM_OPTIONS, "stream_options", NULL)             \
    X(STOP, "stop", NULL)                                 \
    X(STORE, "store", NULL)                               \
    X(SYSTEM_ROLE, "system role", "'system'")

enum downgrade {
#define X(name, word, other) DOWN_##name,
    DOWNGRADES(X)
#undef X
};

struct endpoint {
    char *provider; /* its name in the configuration */
    const struct model_api *api;
    char *base_url, *model;
    struct secret *key; /* NULL: none is needed, or none is there */
    char *key_name;     /* where the key comes from, for people */
    bool needs_key;
    char *ca_file;            /* trusted certificates, in place of the system's */
    char *project, *location; /* Vertex */
    json_t *token_command;    /* array of strings, or NULL: the metadata server */
    char *metadata_url;
    char *token_field;   /* how chat completions call the limit of an answer */
    long context_tokens; /* 0: unknown */
    long max_tokens;     /* of an answer */
    json_t *parameters;  /* further members of the request, or NULL */
    unsigned downgrades; /* bits of enum downgrade */
    int64_t connect_ms, first_byte_ms, idle_ms, turn_ms;
};

void endpoint_free(struct endpoint *endpoint);

/* Answers may be as long as the model's context allows beside the question. */
long endpoint_answer_tokens(const struct endpoint *endpoint);

/* "openai (gpt-x)" */
char *endpoint_title(const struct endpoint *endpoint);

static inline void
auto_endpoint(struct endpoint **endpoint)
{
    endpoint_free(*endpoint);
}
