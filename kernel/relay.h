/*
 * relay: passes events of the sandbox to the code that handles their type
 * (common/messages.def).
 */
#pragma once

#include "common/envelope.h"

struct kernel;

void relay_event(struct kernel *kernel, const struct envelope *event);

/* An output that was checked before, and held back since. */
void relay_output(struct kernel *kernel, const struct envelope *event,
                  struct slice parent);
