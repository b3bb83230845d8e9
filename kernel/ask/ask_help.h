/*
 * ask_help: what is answered about %%ask without a sandbox: completion, and %ask?.
 */
#pragma once

#include <jansson.h>

#include "kernel/dispatch.h"

/* Is this cell `%ask?`, `?%%ask` or the like? */
bool ask_help_is_for(const char *code);

/* A payload that opens the pager. */
json_t *ask_help_page(const char *text);

/* complete_request or inspect_request for a cell of ours: answers it. False when it is
 * none. */
bool ask_help_answer(struct kernel *kernel, struct request *request);
