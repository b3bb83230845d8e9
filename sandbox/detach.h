/*
 * detach: from whoever starts us, nothing stays: no terminal, no descriptors, no
 * folder; and nobody may look into our memory.
 */
#pragma once

/* kept: a descriptor to stay open, besides standard error; or -1. */
void detach(int kept);
