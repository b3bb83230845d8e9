#include "bridge/models/model_api.h"

static const struct model_api *const model_apis[] = {
    &api_chat,   &api_completions, &api_responses, &api_gemini,
    &api_vertex, &api_anthropic,   &api_planner,
};

const struct model_api *
model_api_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(model_apis); i++)
        if (strcmp(model_apis[i]->name, name) == 0)
            return model_apis[i];
    return NULL;
}

const char *
model_api_list(void)
{
    static char names[128];

    if (!names[0])
        for (size_t i = 0; i < COUNT_OF(model_apis); i++) {
            if (i)
                strncat(names, ", ", sizeof(names) - strlen(names) - 1);
            strncat(names, model_apis[i]->name, sizeof(names) - strlen(names) - 1);
        }
    return names;
}

char *
model_api_join(const char *base, const char *path)
{
    size_t len = strlen(base);

    while (len && base[len - 1] == '/')
        len--;
    return xasprintf("%.*s/%s", (int)len, base, path);
}

bool
model_api_dropped(const struct endpoint *endpoint, enum downgrade what)
{
    return endpoint->downgrades >> what & 1;
}

void
model_api_add_parameters(json_t *body, const struct endpoint *endpoint)
{
    if (endpoint->parameters && json_object_update(body, endpoint->parameters) < 0)
        abort();
}
