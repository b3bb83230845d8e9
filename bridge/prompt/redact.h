/*
 * redact: an exception's message without the text of any cell.
 *
 * What is not known to be harmless becomes <value>: known are the names that the model
 * has been shown, everything in its own code, and the words that Python's and the
 * libraries' own messages are made of. Pure.
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"

/* `names`: column and variable names that were shown; array of strings or NULL. */
void redact_message(struct buffer *out, const char *message, const char *code,
                    const json_t *names);
