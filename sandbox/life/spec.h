/*
 * spec: from what a client claims to what the zygote is told.
 *
 * Looks at the file system: who owns the workspace, where IPython's history of that
 * workspace is kept. Makes that folder.
 */
#pragma once

#include "sandbox/files/idmap.h"
#include "sandbox/life/claim.h"
#include "sandbox/network/network.h"

enum {
    SANDBOX_UID_BASE = 1879100000, /* + slot; for root only */
};

struct spec {
    json_t *json;  /* owned */
    int idmap;     /* borrowed from the idmap_cache, or -1 */
    int64_t owner; /* whose the files are, seen from its mounts; -1: ours */
};

/* What the daemon adds to a claim. */
struct spec_place {
    const char *state_dir;
    const char *python; /* absolute */
    struct idmap_cache *idmap_cache;
    const struct network *network;
    bool is_pod; /* no users of its own */
    unsigned slot;
    uint64_t memory_limit; /* bytes */
    bool is_metered;       /* kept by looking at it, not by a control group */
};

/* ERR_BAD_INPUT when a folder of the claim is none. */
int spec_make(const struct claim *claim, const struct spec_place *place,
              struct spec *out, struct error *err) MUST_CHECK;
void spec_release(struct spec *spec);

static inline void
auto_spec(struct spec *spec)
{
    spec_release(spec);
}
