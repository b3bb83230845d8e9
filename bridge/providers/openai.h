/*
 * openai: what chat completions, plain completions and responses have in common.
 */
#pragma once

#include "bridge/models/model_api.h"

char *openai_models_url(const struct endpoint *endpoint);

/* An event of chat or plain completions: what they share is read here, the answer's
 * text by `read` from the first choice (or NULL: a chunk may have none). */
typedef void openai_choice_fn(struct reply *reply, const json_t *choice);
void openai_read_event(struct reply *reply, const struct sse_event *event,
                       openai_choice_fn *read, const struct stop_word *stop_words);
