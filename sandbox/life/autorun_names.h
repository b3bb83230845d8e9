/*
 * autorun_names: names in the notebook's folder that programs of its owner act on by
 * themselves.
 *
 * What is there when a sandbox starts is read-only in it (isolate/protect.h). That a
 * cell makes such a name anew cannot be forbidden, since Linux has no rule for names
 * (docs/decisions/new-names.md): so the owner is told, before a shell's prompt runs
 * what a `.git` says.
 *
 * A folder may hold a million names: it is looked through in slices of some
 * milliseconds, between which the daemon serves others.
 */
#pragma once

#include <dirent.h>
#include <jansson.h>
#include <sys/stat.h>

#include "common/buffer.h"

/* Zero at first. */
struct autorun_names {
    json_t *seen;            /* names; NULL before autorun_names_begin */
    struct timespec changed; /* the folder, when it was looked at */
    DIR *listing;            /* of a look that is under way */
    struct buffer text;      /* what it has found */
    unsigned count, slices;
};

/* folder: a descriptor of the notebook's. Begins the first look. What that finds is no
 * news: autorun_names_news is called once and its answer dropped. */
void autorun_names_begin(struct autorun_names *state, int folder);
/* Begins another one. False: one is under way, or the folder has not changed. */
bool autorun_names_look(struct autorun_names *state, int folder);
/* A slice of it. True: there is more to look at. */
bool autorun_names_go_on(struct autorun_names *state);
bool autorun_names_is_looking(const struct autorun_names *state);
/* A notice about the names that the last look has found anew, malloc'ed; or NULL. */
char *autorun_names_news(struct autorun_names *state);
void autorun_names_release(struct autorun_names *state);
