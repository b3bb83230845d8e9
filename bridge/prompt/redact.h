/*
 * redact: an exception's message without the text of any cell.
 *
 * Every word becomes <value> unless it is known to be harmless: the names that the
 * model was shown, everything in its own code, and the words in the messages of Python
 * and its libraries. Pure.
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"

/* `names`: column and variable names that were shown; array of strings or NULL. */
void redact_message(struct buffer *out, const char *message, const char *code,
                    const json_t *names);
