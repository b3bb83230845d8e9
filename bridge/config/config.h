/*
 * config: which provider and model answer, from flags, environment, file and built-in
 * rows, in this order of precedence (docs/ask.md).
 *
 * The file is config.json in paths_config_dir(), its section "ask". An unknown member
 * is an error that names it. Keys are not in this file, but in files that it names
 * (key_file) or in the environment.
 */
#pragma once

#include <jansson.h>

#include "bridge/models/endpoint.h"

/* Keys from the environment, removed from it once, at the start of the process. */
struct keys;

/* Takes the variables of the built-in rows, and those that the file names (key_env). A
 * broken file is not an error here: config_load will report it to the user. */
struct keys *config_keys_take(const char *config_path);
void config_keys_free(struct keys *keys);

struct config;

/* NULL path: the default one, which need not exist. */
struct config *config_load(const char *path, struct error *err) MUST_CHECK;
void config_free(struct config *config);

struct config_choice {
    const char *provider, *model; /* flags; NULL when not given */
};

/* The endpoint that answers; its key is a copy. */
struct endpoint *config_endpoint(const struct config *config, const struct keys *keys,
                                 const struct config_choice *choice,
                                 struct error *err) MUST_CHECK;

/* Settings of the file, or the built-in ones. */
const char *config_language(const struct config *config); /* NULL: not said */
int config_level(const struct config *config);
int config_retries(const struct config *config);
bool config_uses_cache(const struct config *config);
int64_t config_question_ms(const struct config *config);

/* Names of all providers, built-in ones first: array of strings, owned. */
json_t *config_providers(const struct config *config);

/* Could this provider be asked? Else why not, in `err`. Needs no model. */
struct endpoint *config_probe(const struct config *config, const struct keys *keys,
                              const char *provider, struct error *err) MUST_CHECK;

static inline void
auto_config(struct config **config)
{
    config_free(*config);
}
