/*
 * keep_choice: whether this kernel's session waits for the next kernel of its notebook,
 * should the kernel end without a shutdown.
 *
 * Jupyter's server names the notebook in $JPY_SESSION_NAME. Without a name there is
 * nothing to keep: what runs notebooks in batches starts afresh each time.
 */
#pragma once

#include <jansson.h>

#include "common/base.h"

/* Adds "keep" to a claim. flags: as claim_make. is_fresh: what is kept is left alone.
 * False: it is not to be kept. */
bool keep_choice_add(json_t *claim, const json_t *flags, bool is_fresh);
