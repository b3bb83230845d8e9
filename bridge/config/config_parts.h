/*
 * config_parts: what the files config*.c share.
 *
 *     config.c           the file: its members, its settings
 *     config_builtin.c   the built-in providers
 *     config_keys.c      keys of the environment
 *     config_endpoint.c  a provider's settings become an endpoint
 *     config_choice.c    which provider, which model
 */
#pragma once

#include "bridge/config/config.h"

struct config {
    json_t *ask; /* an object, empty without a file */
};

/* A member of the file, or its default. Both take NULL for no object. */
json_int_t config_number(const json_t *object, const char *name, json_int_t otherwise);
const char *config_text(const json_t *object, const char *name); /* or NULL */

/* The first that is neither NULL nor empty; "" when none is. */
const char *config_first(const char *a, const char *b, const char *c);

/* --- providers --- */

struct builtin {
    const char *name, *api, *base_url;
    const char *base_env; /* overrides base_url */
    const char *key_env[2];
    bool needs_key;
    const char *token_field;
};

/* In order of preference; ends with a row without a name. */
extern const struct builtin config_builtins[];

const struct builtin *config_find_builtin(const char *name); /* or NULL */
const json_t *config_find_provider(const struct config *config, const char *name);
bool config_has_provider(const struct config *config, const char *name);

/* --- keys --- */

struct key {
    char *name;
    struct secret *secret; /* NULL: what was there is not a key, see err */
    struct error err;
    struct key *next;
};

const struct key *config_find_key(const struct keys *keys, const char *name);
