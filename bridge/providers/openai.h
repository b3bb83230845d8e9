/*
 * openai: what chat completions, plain completions and responses have in common.
 */
#pragma once

#include "bridge/wire.h"

char *openai_models_url(const struct endpoint *endpoint);

/* The end marker came: fine after a stop word, else the answer is cut. */
void openai_done(struct reply *reply);

void openai_read_usage(struct reply *reply, const json_t *event);
extern const struct stop_word openai_stop_words[];

/* choices[] element with index 0, or NULL. */
const json_t *openai_choice(const json_t *event);
