/*
 * failure: fill a struct isolate_failure. Each is an expression of value -1.
 */
#pragma once

#include "sandbox/isolate/isolate.h"

/* What failed; errno says why. The running step keeps the failure's name unless the
 * text is more exact. */
#define failed(failure, ...) (failure_set(failure, __VA_ARGS__), -1)

void failure_set(struct isolate_failure *failure, const char *fmt, ...) PRINTF(2, 3);

/* The layer, and what helps against this errno, once the step is known. */
void failure_explain(struct isolate_failure *failure, enum isolate_layer layer,
                     const char *step);
const char *failure_layer_name(enum isolate_layer layer);
