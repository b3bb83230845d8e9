/*
 * preload: which modules the notebooks of this user import, for the next zygote.
 *
 * Sandboxes say so, and are not believed: a name must look like one, there are few of
 * them, and the zygote loads only what its Python's own site-packages hold
 * (worker/cellpod/preload.py). Kept in the state folder as preload.json, 0600:
 *
 *     {"version":1,"pythons":{"/usr/bin/python3":[{"name":"sklearn","day":20000},…]}}
 *
 * the newest first. A file that is damaged, or not ours, counts as empty.
 */
#pragma once

#include <jansson.h>

#include "common/base.h"

enum {
    PRELOAD_NAMES = 32, /* of one Python */
    PRELOAD_NAME_BYTES = 64,
    PRELOAD_PYTHONS = 8,
    PRELOAD_DAYS = 60, /* after which a name is forgotten */
    PRELOAD_FILE_BYTES = 128 << 10,
};

struct preload;

/* memory_mb: what they may take in a zygote. */
struct preload *preload_new(const char *state_dir, unsigned memory_mb);
void preload_free(struct preload *preload);

/* "a", "a.b" or "a.b.c" of ASCII identifiers. */
bool preload_is_name(const char *text);

/* names: an array, borrowed. Returns whether any of them was not known. */
bool preload_learn(struct preload *preload, const char *python, const json_t *names);

/* What the zygote is told: {"type":"preload","names":[…],"memory_mb":256}, the newest
 * first; a new reference. NULL: nothing is known. */
json_t *preload_order(const struct preload *preload, const char *python);

static inline void
auto_preload(struct preload **preload)
{
    preload_free(*preload);
}
