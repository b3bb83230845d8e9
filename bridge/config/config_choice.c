#include "bridge/config/config_parts.h"
#include "bridge/models/model_api.h"

/* "openai/gpt-x" names both; "meta/llama" is a model alone unless meta is a provider.
 */
static char *
provider_prefix(const struct config *config, const char *model)
{
    const char *slash = model ? strchr(model, '/') : NULL;

    if (!slash)
        return NULL;
    AUTO(mem) char *prefix = xstrndup(model, (size_t)(slash - model));
    return config_has_provider(config, prefix) ? TAKE(prefix) : NULL;
}

/* A model was named without a provider: the first that has a key. */
static const char *
provider_with_key(const struct keys *keys)
{
    for (const struct builtin *b = config_builtins; b->name; b++)
        for (size_t k = 0; k < COUNT_OF(b->key_env); k++)
            if (b->key_env[k] && config_find_key(keys, b->key_env[k]))
                return b->name;
    return NULL;
}

/* A key alone sends nothing anywhere: without a model's name the planner answers. */
static const char *
default_provider(const struct config *config, const struct keys *keys,
                 const char *model)
{
    const char *provider = config_first(getenv("CELLPOD_PROVIDER"),
                                        config_text(config->ask, "provider"), NULL);
    const char *base = getenv("CELLPOD_BASE_URL");

    if (*provider)
        return provider;
    if (base && *base)
        return "local";
    provider = model && *model ? provider_with_key(keys) : NULL;
    return provider ? provider : model && *model ? "" : "planner";
}

static int
set_model(struct endpoint *endpoint, const char *model, struct error *err)
{
    const char *wanted = config_first(model, endpoint->model, NULL);
    char *copy = xstrdup(wanted);

    free(endpoint->model);
    endpoint->model = copy;
    if (*copy || endpoint->api->is_local)
        return 0;
    if (endpoint->needs_key || endpoint->api->takes_token)
        return error_set(err, ERR_BAD_INPUT,
                         "%s: choose a model with --model, CELLPOD_MODEL or the "
                         "configuration; `%%ask --models` lists them",
                         endpoint->provider);
    free(endpoint->model);
    endpoint->model = xstrdup("default"); /* servers of one model take any name */
    return 0;
}

struct endpoint *
config_endpoint(const struct config *config, const struct keys *keys,
                const struct config_choice *choice, struct error *err)
{
    /* The model that the file names belongs to the provider that the file names. */
    const char *own = choice->provider ? NULL : config_text(config->ask, "model");
    const char *env = choice->provider ? NULL : getenv("CELLPOD_MODEL");
    const char *model = config_first(choice->model, env, own);
    AUTO(mem) char *prefix = choice->provider ? NULL : provider_prefix(config, model);
    const char *provider = choice->provider ? choice->provider
                           : prefix         ? prefix
                                            : default_provider(config, keys, model);

    if (!*provider)
        return (void)error_set(
                   err, ERR_BAD_INPUT,
                   "no provider for the model %s: name it as PROVIDER/%s, or "
                   "set a key (docs/ask.md)",
                   model, model),
               NULL;
    if (!config_has_provider(config, provider))
        return (void)error_set(err, ERR_NOT_FOUND,
                               "no provider is called %s; `%%ask --models` lists them",
                               provider),
               NULL;
    AUTO(endpoint) struct endpoint *endpoint =
        config_probe(config, keys, provider, err);
    if (!endpoint ||
        set_model(endpoint, prefix ? model + strlen(prefix) + 1 : model, err) < 0)
        return NULL;
    return TAKE(endpoint);
}
