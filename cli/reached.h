/*
 * reached: the sandbox of a notebook whose cells run elsewhere, as its kernel on this
 * machine tells it (kernel/process/reach.h).
 */
#pragma once

#include <jansson.h>

#include "common/error.h"

struct reached {
    char *url;       /* of the sandbox, without a slash at the end; owned */
    json_t *headers; /* "Name: value"; owned */
    char *name;      /* of the notebook, for messages; owned */
};

/* notebook: its path, or that of its folder. 1: it is told in *out. 0: no kernel of
 * this user has its cells elsewhere. -1: there is one, and no sandbox of it; or more
 * than one. */
int reached_find(const char *notebook, struct reached *out,
                 struct error *err) MUST_CHECK;
void reached_release(struct reached *reached);

static inline void
auto_reached(struct reached *reached)
{
    reached_release(reached);
}
