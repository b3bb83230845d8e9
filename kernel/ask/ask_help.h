/*
 * ask_help: completion for %%ask and %fix, and %ask?; both are answered without a
 * sandbox.
 */
#pragma once

#include <jansson.h>

#include "common/base.h"

struct ask;

/* Is this cell `%ask?`, `?%%ask` or the like? */
bool ask_help_is_for(const char *code);

/* A payload that opens the pager. */
json_t *ask_help_page(const char *text);

/* The reply to a complete_request or inspect_request for a %%ask cell; NULL for other
 * cells. */
json_t *ask_help_reply(const struct ask *ask, const char *type, struct slice content);
