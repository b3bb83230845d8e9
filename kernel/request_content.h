/*
 * request_content: requests as the worker expects them.
 *
 * Clients leave fields out, or point behind the end of the code. What is missing is
 * filled in, what is out of range moved into it; what cannot be answered is refused.
 * The code of a cell is never rebuilt. Pure function.
 */
#pragma once

#include "common/buffer.h"
#include "common/messages.h"

/* Leaves *out empty when content can go as it is. */
int request_content_prepare(const struct message_type *type, struct slice content,
                            struct buffer *out, struct error *err) MUST_CHECK;
