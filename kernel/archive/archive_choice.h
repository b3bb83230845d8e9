/*
 * archive_choice: whether, where and for how long a notebook's outputs are kept.
 *
 * As for sessions (kernel/place/keep_choice.h): Jupyter's server names the notebook in
 * $JPY_SESSION_NAME. Without a name nothing is kept.
 */
#pragma once

#include <jansson.h>

#include "common/error.h"

struct archive_choice {
    char *folder;    /* owned; NULL: nothing is kept */
    const char *why; /* then: why, in words that follow "because" */
    size_t bytes;    /* of all that is kept */
    int64_t seconds; /* that it is kept */
};

/* flags: as claim_make. Makes the folder's parents. */
void archive_choice_make(const json_t *flags, struct archive_choice *out);
void archive_choice_release(struct archive_choice *choice);
