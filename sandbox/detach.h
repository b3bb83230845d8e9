/*
 * detach: keep nothing of the process that starts us: no terminal, no descriptors, no
 * folder; and let no other process read our memory.
 */
#pragma once

/* kept: a descriptor to stay open, besides standard error; or -1. */
void detach(int kept);
