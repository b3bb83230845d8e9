#include "bridge/config.h"

#include "bridge/wire.h"
#include "common/limits.h"
#include "common/paths.h"
#include "common/settings.h"

enum {
    DEFAULT_LEVEL = 2,
    DEFAULT_RETRIES = 3,
    DEFAULT_ANSWER_TOKENS = 4096,
    DEFAULT_TEXT_TOKENS = 512, /* of a base model, which does not stop by itself */
    QUESTION_SECONDS = 600,
};

struct builtin {
    const char *name, *api, *base_url;
    const char *base_env; /* overrides base_url */
    const char *key_env[2];
    bool needs_key;
    const char *token_field;
};

static const struct builtin builtins[] = {
    {"openai",
     "chat",                        "https://api.openai.com/v1",
     "OPENAI_BASE_URL",                                                                                    {"OPENAI_API_KEY"},
     true,                                                                                                                                              "max_completion_tokens"},
    {"openai-responses",
     "responses",                   "https://api.openai.com/v1",
     "OPENAI_BASE_URL",                                                                                    {"OPENAI_API_KEY"},
     true,                                                                                                                                              NULL                   },
    {"anthropic",
     "anthropic",                   "https://api.anthropic.com",
     "ANTHROPIC_BASE_URL",                                                                                 {"ANTHROPIC_API_KEY"},
     true,                                                                                                                                              NULL                   },
    {"gemini",
     "gemini",                      "https://generativelanguage.googleapis.com/v1beta",
     "GEMINI_BASE_URL",                                                                                    {"GEMINI_API_KEY", "GOOGLE_API_KEY"},
     true,                                                                                                                                              NULL                   },
    {"vertex",           "vertex",  "",                                                 "VERTEX_BASE_URL", {NULL},                               false, NULL                   },
    {"ollama",
     "chat",                        "http://127.0.0.1:11434/v1",
     "OLLAMA_BASE_URL",                                                                                    {NULL},
     false,                                                                                                                                             "max_tokens"           },
    {"local",
     "chat",                        "http://127.0.0.1:8080/v1",
     "CELLPOD_BASE_URL",                                                                                   {"CELLPOD_API_KEY"},
     false,                                                                                                                                             "max_tokens"           },
    {"planner",          "planner", "",                                                 NULL,              {NULL},                               false, NULL                   },
};

/* --- what the file may hold --- */

#define NUMBER_ROW(key) FIELD(key, WHOLE, .least = 0, .most = 100000000)

static const struct field ask_members[] = {
    FIELD("provider", TEXT),
    FIELD("model", TEXT),
    FIELD("language", TEXT),
    NUMBER_ROW("level"),
    NUMBER_ROW("retries"),
    FIELD("cache", FLAG),
    NUMBER_ROW("question_seconds"),
    FIELD("providers", OBJECT),
    FIELDS_END,
};

static const struct field word = FIELD("word", TEXT);

static const struct field provider_members[] = {
    FIELD("api", TEXT),
    FIELD("base_url", TEXT),
    FIELD("model", TEXT),
    FIELD("key_file", TEXT),
    FIELD("key_env", TEXT),
    FIELD("allow_http", FLAG),
    FIELD("ca_file", TEXT),
    FIELD("project", TEXT),
    FIELD("location", TEXT),
    FIELD("token_command", LIST, .least = 1, .most = LIMIT_COMMAND_WORDS, .of = &word),
    FIELD("metadata_url", TEXT),
    FIELD("token_field", TEXT),
    NUMBER_ROW("context_tokens"),
    NUMBER_ROW("max_tokens"),
    FIELD("parameters", OBJECT),
    NUMBER_ROW("connect_seconds"),
    NUMBER_ROW("first_byte_seconds"),
    NUMBER_ROW("idle_seconds"),
    NUMBER_ROW("turn_seconds"),
    FIELDS_END,
};

static int
refuse_key(const char *where, const json_t *object, struct error *err)
{
    static const char *const names[] = {"key", "api_key"};

    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (json_object_get(object, names[i]))
            return error_set(
                err, ERR_BAD_INPUT,
                "%s.%s: no key may stand in this file; put it into a file that "
                "only you can read and name that in key_file",
                where, names[i]);
    return 0;
}

static int
check_ask(const json_t *ask, struct error *err)
{
    const char *name;
    json_t *provider;

    if (refuse_key("ask", ask, err) < 0 ||
        fields_check("ask", ask, ask_members, err) < 0)
        return -1;
    json_object_foreach (json_object_get(ask, "providers"), name, provider) {
        AUTO(mem) char *where = xasprintf("ask.providers.%s", name);
        if (refuse_key(where, provider, err) < 0 ||
            fields_check(where, provider, provider_members, err) < 0)
            return -1;
    }
    return 0;
}

/* --- the file --- */

struct config {
    json_t *ask; /* an object, empty when there is no file */
};

void
config_free(struct config *config)
{
    if (!config)
        return;
    json_decref(config->ask);
    free(config);
}

struct config *
config_load(const char *path, struct error *err)
{
    AUTO(mem) char *file = settings_path(path);
    json_auto_t *ask = settings_load(file, "ask", err);

    if (!ask || check_ask(ask, err) < 0)
        return (void)error_wrap(err, "%s", file), NULL;
    struct config *config = xcalloc(1, sizeof(*config));
    config->ask = json_incref(ask);
    return config;
}

static json_int_t
number_or(const json_t *object, const char *name, json_int_t otherwise)
{
    const json_t *value = json_object_get(object, name);

    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

static const char *
text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

int
config_level(const struct config *config)
{
    json_int_t level = number_or(config->ask, "level", DEFAULT_LEVEL);

    return level > 3 ? 3 : (int)level;
}

const char *
config_language(const struct config *config)
{
    return text_of(config->ask, "language");
}

int
config_retries(const struct config *config)
{
    json_int_t retries = number_or(config->ask, "retries", DEFAULT_RETRIES);

    return retries > 10 ? 10 : (int)retries;
}

bool
config_uses_cache(const struct config *config)
{
    return !json_is_false(json_object_get(config->ask, "cache"));
}

int64_t
config_question_ms(const struct config *config)
{
    return 1000 * number_or(config->ask, "question_seconds", QUESTION_SECONDS);
}

/* --- keys --- */

struct key {
    char *name;
    struct secret *secret;
    struct error err; /* when it was there and no key */
    struct key *next;
};

struct keys {
    struct key *first;
};

static struct key *
find_key(const struct keys *keys, const char *name)
{
    for (struct key *key = keys->first; key; key = key->next)
        if (strcmp(key->name, name) == 0)
            return key;
    return NULL;
}

static void
take_key(struct keys *keys, const char *name)
{
    struct error err;

    if (!name || find_key(keys, name))
        return;
    struct secret *secret = secret_take_env(name, &err);
    if (!secret && !err.text[0])
        return;
    struct key *key = xcalloc(1, sizeof(*key));
    *key = (struct key){xstrdup(name), secret, err, keys->first};
    keys->first = key;
}

struct keys *
keys_take(const char *config_path)
{
    struct keys *keys = xcalloc(1, sizeof(*keys));
    struct error err;
    AUTO(config) struct config *config = config_load(config_path, &err);
    const char *name;
    json_t *provider;

    for (size_t i = 0; i < COUNT_OF(builtins); i++)
        for (size_t k = 0; k < COUNT_OF(builtins[i].key_env); k++)
            take_key(keys, builtins[i].key_env[k]);
    if (!config)
        return keys;
    json_object_foreach (json_object_get(config->ask, "providers"), name, provider) {
        take_key(keys, text_of(provider, "key_env"));
    }
    return keys;
}

void
keys_free(struct keys *keys)
{
    struct key *key;

    while (keys && (key = keys->first)) {
        keys->first = key->next;
        secret_free(key->secret);
        free(key->name);
        free(key);
    }
    free(keys);
}

/* --- providers --- */

static const struct builtin *
find_builtin(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(builtins); i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

static const json_t *
find_provider(const struct config *config, const char *name)
{
    return json_object_get(json_object_get(config->ask, "providers"), name);
}

static bool
is_provider(const struct config *config, const char *name)
{
    return find_builtin(name) || find_provider(config, name);
}

json_t *
config_providers(const struct config *config)
{
    json_t *names = json_array(), *provider;
    const char *name;

    for (size_t i = 0; i < COUNT_OF(builtins); i++)
        json_array_append_new(names, json_string(builtins[i].name));
    json_object_foreach (json_object_get(config->ask, "providers"), name, provider) {
        if (!find_builtin(name))
            json_array_append_new(names, json_string(name));
    }
    return names;
}

static const char *
first_text(const char *a, const char *b, const char *c)
{
    return a && *a ? a : b && *b ? b : c ? c : "";
}

static int
use_env_key(struct endpoint *endpoint, const struct keys *keys, const char *name,
            struct error *err)
{
    const struct key *key = name ? find_key(keys, name) : NULL;

    if (!key || endpoint->key)
        return 0;
    if (!key->secret) {
        *err = key->err;
        return -1;
    }
    endpoint->key = secret_copy(key->secret, err);
    endpoint->key_name = xstrdup(name);
    return endpoint->key ? 0 : -1;
}

static int
use_key_file(struct endpoint *endpoint, const char *path, struct error *err)
{
    if (!path)
        return 0;
    AUTO(mem) char *file = paths_expand_home(path);
    endpoint->key = secret_read_file(file, err);
    endpoint->key_name = xstrdup(file);
    return endpoint->key ? 0 : -1;
}

/* The file's own words go before the environment's well-known names. */
static int
find_secret(struct endpoint *endpoint, const struct keys *keys,
            const struct builtin *builtin, const json_t *settings, struct error *err)
{
    if (use_key_file(endpoint, text_of(settings, "key_file"), err) < 0 ||
        use_env_key(endpoint, keys, text_of(settings, "key_env"), err) < 0)
        return -1;
    for (size_t i = 0; builtin && i < COUNT_OF(builtin->key_env); i++)
        if (use_env_key(endpoint, keys, builtin->key_env[i], err) < 0)
            return -1;
    if (endpoint->key || !endpoint->needs_key)
        return 0;
    return error_set(err, ERR_DENIED,
                     "%s needs a key: set %s, or key_file in the "
                     "configuration (docs/ask.md)",
                     endpoint->provider, builtin->key_env[0]);
}

static bool
is_near(const char *url)
{
    static const char *const hosts[] = {
        "http://127.", "http://localhost:", "http://localhost/", "http://[::1]"};

    for (size_t i = 0; i < COUNT_OF(hosts); i++)
        if (strncmp(url, hosts[i], strlen(hosts[i])) == 0)
            return true;
    return false;
}

static int
check_url(const struct endpoint *endpoint, const json_t *settings, struct error *err)
{
    const char *url = endpoint->base_url;
    bool is_https = strncmp(url, "https://", 8) == 0;
    bool is_http = strncmp(url, "http://", 7) == 0;

    if (endpoint->wire->is_local || (endpoint->wire->takes_token && !*url))
        return 0;
    if (!is_https && !is_http)
        return error_set(err, ERR_BAD_INPUT, "%s: base_url must start with https://",
                         endpoint->provider);
    if (strchr(url, '@') || strchr(url, '?'))
        return error_set(err, ERR_BAD_INPUT,
                         "%s: base_url may hold no password and no query",
                         endpoint->provider);
    if (is_http && !is_near(url) && (endpoint->key || endpoint->wire->takes_token) &&
        !json_is_true(json_object_get(settings, "allow_http")))
        return error_set(err, ERR_DENIED,
                         "%s: a key would travel in clear text to %s: use https://, or "
                         "set allow_http",
                         endpoint->provider, url);
    return 0;
}

static int64_t
seconds(const json_t *settings, const char *name, int64_t otherwise)
{
    return 1000 * number_or(settings, name, otherwise);
}

static void
fill_limits(struct endpoint *endpoint, const json_t *settings)
{
    bool is_here = is_near(endpoint->base_url);

    endpoint->context_tokens = (long)number_or(settings, "context_tokens", 0);
    endpoint->max_tokens = (long)number_or(
        settings, "max_tokens",
        endpoint->wire->continues_text ? DEFAULT_TEXT_TOKENS : DEFAULT_ANSWER_TOKENS);
    endpoint->connect_ms = seconds(settings, "connect_seconds", 10);
    endpoint->first_byte_ms =
        seconds(settings, "first_byte_seconds", is_here ? 120 : 60);
    endpoint->idle_ms = seconds(settings, "idle_seconds", 60);
    endpoint->turn_ms = seconds(settings, "turn_seconds", 300);
}

static int
fill_google(struct endpoint *endpoint, const json_t *settings, struct error *err)
{
    const char *project = text_of(settings, "project");
    const char *location = text_of(settings, "location");
    const char *host = getenv("GCE_METADATA_HOST");

    endpoint->project =
        xstrdup(first_text(project, getenv("GOOGLE_CLOUD_PROJECT"), NULL));
    endpoint->location =
        xstrdup(first_text(location, getenv("GOOGLE_CLOUD_LOCATION"), "global"));
    endpoint->token_command = json_incref(json_object_get(settings, "token_command"));
    const char *url = text_of(settings, "metadata_url");
    endpoint->metadata_url =
        url ? xstrdup(url)
            : xasprintf(
                  "http://%s/computeMetadata/v1/instance/service-accounts/default/"
                  "token",
                  host && *host ? host : "metadata.google.internal");
    if (!endpoint->wire->takes_token || endpoint->project[0])
        return 0;
    return error_set(err, ERR_BAD_INPUT,
                     "%s: set `project` in the configuration, or "
                     "GOOGLE_CLOUD_PROJECT",
                     endpoint->provider);
}

static const struct wire *
wire_of(const char *name, const struct builtin *builtin, const json_t *settings,
        struct error *err)
{
    const char *api = text_of(settings, "api");

    if (!api && builtin)
        api = builtin->api;
    const struct wire *wire = api ? wire_find(api) : NULL;
    if (!wire)
        (void)error_set(err, ERR_BAD_INPUT, "ask.providers.%s.api must be one of %s",
                        name, wire_list());
    return wire;
}

struct endpoint *
config_probe(const struct config *config, const struct keys *keys, const char *name,
             struct error *err)
{
    const struct builtin *builtin = find_builtin(name);
    const json_t *settings = find_provider(config, name);
    AUTO(endpoint) struct endpoint *endpoint = xcalloc(1, sizeof(*endpoint));

    endpoint->wire = wire_of(name, builtin, settings, err);
    if (!endpoint->wire)
        return NULL;
    const char *base_env =
        builtin && builtin->base_env ? getenv(builtin->base_env) : NULL;
    const char *token_field = text_of(settings, "token_field");
    endpoint->provider = xstrdup(name);
    endpoint->base_url = xstrdup(first_text(base_env, text_of(settings, "base_url"),
                                            builtin ? builtin->base_url : NULL));
    endpoint->model = xstrdup(first_text(text_of(settings, "model"), NULL, NULL));
    endpoint->needs_key =
        builtin && builtin->needs_key && is_near(endpoint->base_url) == false;
    endpoint->token_field = xstrdup(
        first_text(token_field, builtin ? builtin->token_field : NULL, "max_tokens"));
    endpoint->parameters = json_incref(json_object_get(settings, "parameters"));
    fill_limits(endpoint, settings);
    const char *ca_file = text_of(settings, "ca_file");
    endpoint->ca_file = ca_file ? paths_expand_home(ca_file) : NULL;
    if (find_secret(endpoint, keys, builtin, settings, err) < 0 ||
        check_url(endpoint, settings, err) < 0 ||
        fill_google(endpoint, settings, err) < 0)
        return NULL;
    return TAKE(endpoint);
}

/* --- the choice --- */

/* "openai/gpt-x" names both; "meta/llama" is a model alone unless meta is a provider.
 */
static char *
provider_prefix(const struct config *config, const char *model)
{
    const char *slash = model ? strchr(model, '/') : NULL;

    if (!slash)
        return NULL;
    AUTO(mem) char *prefix = xstrndup(model, (size_t)(slash - model));
    return is_provider(config, prefix) ? TAKE(prefix) : NULL;
}

/* A model was named and no provider: the first that has a key. */
static const char *
provider_with_key(const struct keys *keys)
{
    for (size_t i = 0; i < COUNT_OF(builtins); i++)
        for (size_t k = 0; k < COUNT_OF(builtins[i].key_env); k++)
            if (builtins[i].key_env[k] && find_key(keys, builtins[i].key_env[k]))
                return builtins[i].name;
    return NULL;
}

/* A key alone sends nothing anywhere: without a model's name the planner answers. */
static const char *
default_provider(const struct config *config, const struct keys *keys,
                 const char *model)
{
    const char *provider =
        first_text(getenv("CELLPOD_PROVIDER"), text_of(config->ask, "provider"), NULL);
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
    const char *wanted = first_text(model, endpoint->model, NULL);
    char *copy = xstrdup(wanted);

    free(endpoint->model);
    endpoint->model = copy;
    if (*copy || endpoint->wire->is_local)
        return 0;
    if (endpoint->needs_key || endpoint->wire->takes_token)
        return error_set(err, ERR_BAD_INPUT,
                         "%s: say which model, with --model, CELLPOD_MODEL or the "
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
    const char *own = choice->provider ? NULL : text_of(config->ask, "model");
    const char *env = choice->provider ? NULL : getenv("CELLPOD_MODEL");
    const char *model = first_text(choice->model, env, own);
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
    if (!is_provider(config, provider))
        return (void)error_set(err, ERR_NOT_FOUND,
                               "no provider is called %s; `%%ask --models` lists them",
                               provider),
               NULL;
    AUTO(endpoint)
    struct endpoint *endpoint = config_probe(config, keys, provider, err);
    if (!endpoint ||
        set_model(endpoint, prefix ? model + strlen(prefix) + 1 : model, err) < 0)
        return NULL;
    return TAKE(endpoint);
}
