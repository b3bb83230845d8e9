#include "bridge/models/endpoint.h"

void
endpoint_free(struct endpoint *endpoint)
{
    if (!endpoint)
        return;
    secret_free(endpoint->key);
    free(endpoint->provider);
    free(endpoint->base_url);
    free(endpoint->model);
    free(endpoint->key_name);
    free(endpoint->ca_file);
    free(endpoint->project);
    free(endpoint->location);
    free(endpoint->metadata_url);
    free(endpoint->token_field);
    json_decref(endpoint->token_command);
    json_decref(endpoint->parameters);
    free(endpoint);
}

long
endpoint_answer_tokens(const struct endpoint *endpoint)
{
    long quarter = endpoint->context_tokens / 4;

    return quarter && quarter < endpoint->max_tokens ? quarter : endpoint->max_tokens;
}

char *
endpoint_title(const struct endpoint *endpoint)
{
    return endpoint->model && *endpoint->model
               ? xasprintf("%s (%s)", endpoint->provider, endpoint->model)
               : xstrdup(endpoint->provider);
}
