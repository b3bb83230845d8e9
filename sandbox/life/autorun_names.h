/*
 * autorun_names: names in the notebook's folder that programs of its owner act on by
 * themselves.
 *
 * What is there when a sandbox starts is read-only in it (isolate/protect.h). That a
 * cell makes such a name anew cannot be forbidden, since Linux has no rule for names
 * (docs/decisions/new-names.md): so the owner is told, before a shell's prompt runs
 * what a `.git` says.
 */
#pragma once

#include <jansson.h>
#include <sys/stat.h>

#include "common/base.h"

struct autorun_names {
    json_t *seen;            /* names; NULL before the first look */
    struct timespec changed; /* the folder, when it was looked at */
};

/* folder: a descriptor of the notebook's. The names that it holds now are not reported
 * as new. */
void autorun_names_begin(struct autorun_names *state, int folder);
/* A notice about names that have appeared since the last look, malloc'ed; or NULL. */
char *autorun_names_look(struct autorun_names *state, int folder);
void autorun_names_release(struct autorun_names *state);

/* What makes a name one of these, in words; NULL: nothing does. */
const char *autorun_names_reason(const char *name);
