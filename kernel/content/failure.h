/*
 * failure: an error of the kernel itself, in the form of an error of a cell.
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"

/* All borrowed. The traceback has the lines of `above`, then the message, then the
 * remedy. */
struct failure {
    const char *ename, *message, *remedy; /* remedy may be "" */
    long long execution_count;            /* for execute_reply */
    const json_t *above;                  /* lines of a traceback, or NULL */
};

/* `"ename":"…","evalue":"…","traceback":["…","…"]` */
void failure_append(struct buffer *out, const struct failure *failure);
