#include "bridge/config/config_parts.h"
#include "common/limits.h"
#include "common/settings/settings.h"

enum {
    DEFAULT_LEVEL = 2,
    DEFAULT_RETRIES = 3,
    QUESTION_SECONDS = 600,
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
                "%s.%s: a key is not allowed in this file; put it into a file that "
                "only you can read, and name that file in key_file",
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

int
config_level(const struct config *config)
{
    json_int_t level = config_number(config->ask, "level", DEFAULT_LEVEL);

    return level > 3 ? 3 : (int)level;
}

const char *
config_language(const struct config *config)
{
    return config_text(config->ask, "language");
}

int
config_retries(const struct config *config)
{
    json_int_t retries = config_number(config->ask, "retries", DEFAULT_RETRIES);

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
    return 1000 * config_number(config->ask, "question_seconds", QUESTION_SECONDS);
}

/* --- reading it --- */

json_int_t
config_number(const json_t *object, const char *name, json_int_t otherwise)
{
    const json_t *value = json_object_get(object, name);

    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

const char *
config_text(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

const char *
config_first(const char *a, const char *b, const char *c)
{
    return a && *a ? a : b && *b ? b : c ? c : "";
}

const json_t *
config_find_provider(const struct config *config, const char *name)
{
    return json_object_get(json_object_get(config->ask, "providers"), name);
}

bool
config_has_provider(const struct config *config, const char *name)
{
    return config_find_builtin(name) || config_find_provider(config, name);
}

json_t *
config_providers(const struct config *config)
{
    json_t *names = json_array(), *provider;
    const char *name;

    for (const struct builtin *b = config_builtins; b->name; b++)
        json_array_append_new(names, json_string(b->name));
    json_object_foreach (json_object_get(config->ask, "providers"), name, provider) {
        if (!config_find_builtin(name))
            json_array_append_new(names, json_string(name));
    }
    return names;
}
