/*
 * request_content: completes requests for the worker.
 *
 * Clients leave fields out, or point beyond the end of the code. Missing fields are
 * filled in, positions out of range are moved into it, and requests that cannot be
 * answered are refused. The code of a cell is never rebuilt. Pure function.
 */
#pragma once

#include "common/buffer.h"
#include "common/messages.h"

/* Leaves *out empty when content can go as it is. */
int request_content_prepare(const struct message_type *type, struct slice content,
                            struct buffer *out, struct error *err) MUST_CHECK;
