/*
 * idmap: user namespaces that say whose files a sandbox's user may call its own.
 *
 * Only root needs them: a workspace is mounted so that its owner outside is the
 * sandbox's uid inside, and files that the sandbox makes belong to that owner.
 */
#pragma once

#include <sys/types.h>

#include "common/error.h"

struct idmap_cache;

struct idmap_cache *idmap_cache_new(void);
void idmap_cache_free(struct idmap_cache *idmap_cache);

/* One for each slot, kept as long as the owner stays the same. The descriptor is
 * borrowed until the next call for that slot. */
int idmap_cache_get(struct idmap_cache *idmap_cache, unsigned slot, uid_t owner,
                    gid_t group, uid_t sandbox_uid, struct error *err) MUST_CHECK;

static inline void
auto_idmap_cache(struct idmap_cache **idmap_cache)
{
    idmap_cache_free(*idmap_cache);
}
