/*
 * idmap: user namespaces that say whose files a sandbox's user may call its own.
 *
 * Only root needs them: a workspace is mounted so that its owner outside is the
 * sandbox's uid inside, and files that the sandbox makes belong to that owner.
 */
#pragma once

#include <sys/types.h>

#include "common/error.h"

struct idmaps;

struct idmaps *idmaps_new(void);
void idmaps_free(struct idmaps *idmaps);

/* One for each slot, kept as long as the owner stays the same. The descriptor is
 * borrowed until the next call for that slot. */
int idmaps_get(struct idmaps *idmaps, unsigned slot, uid_t owner, gid_t group,
               uid_t sandbox_uid, struct error *err) MUST_CHECK;

static inline void
auto_idmaps(struct idmaps **idmaps)
{
    idmaps_free(*idmaps);
}
