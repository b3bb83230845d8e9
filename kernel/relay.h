/*
 * relay: events of the sandbox, one table of what each is for.
 */
#pragma once

#include "common/envelope.h"

struct kernel;

void relay_event(struct kernel *kernel, const struct envelope *event);

/* An output that was checked before, and held back since. */
void relay_output(struct kernel *kernel, const struct envelope *event,
                  struct slice parent);
