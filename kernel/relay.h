/*
 * relay: passes events of the sandbox to the code that handles their type
 * (common/messages.def).
 */
#pragma once

#include "common/envelope.h"

struct kernel;

void relay_event(struct kernel *kernel, const struct envelope *event);

/* Take what the inspector has looked at, if it has something; then go on. */
void relay_inspected(struct kernel *kernel);

/* Read on, unless there is still a reason not to. */
void relay_go_on(struct kernel *kernel);

/* An output that was inspected before, and held back since. */
void relay_output(struct kernel *kernel, const struct envelope *event,
                  struct slice parent);
