#include "bridge/config/config_parts.h"

struct keys {
    struct key *first;
};

const struct key *
config_find_key(const struct keys *keys, const char *name)
{
    for (const struct key *key = keys->first; key; key = key->next)
        if (strcmp(key->name, name) == 0)
            return key;
    return NULL;
}

static void
take_key(struct keys *keys, const char *name)
{
    struct error err;

    if (!name || config_find_key(keys, name))
        return;
    struct secret *secret = secret_take_env(name, &err);
    if (!secret && !err.text[0])
        return;
    struct key *key = xcalloc(1, sizeof(*key));
    *key = (struct key){xstrdup(name), secret, err, keys->first};
    keys->first = key;
}

struct keys *
config_keys_take(const char *config_path)
{
    struct keys *keys = xcalloc(1, sizeof(*keys));
    struct error err;
    AUTO(config) struct config *config = config_load(config_path, &err);
    const char *name;
    json_t *provider;

    for (const struct builtin *b = config_builtins; b->name; b++)
        for (size_t k = 0; k < COUNT_OF(b->key_env); k++)
            take_key(keys, b->key_env[k]);
    if (!config)
        return keys;
    json_object_foreach (json_object_get(config->ask, "providers"), name, provider) {
        take_key(keys, config_text(provider, "key_env"));
    }
    return keys;
}

void
config_keys_free(struct keys *keys)
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
