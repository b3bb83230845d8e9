/*
 * queue: the place of a claim among those that wait for a pod of the same pool, the
 * oldest first. The controller promises no order; it says how many are ahead.
 */
#pragma once

#include <jansson.h>

#include "kube/claim_object.h"

struct queue_place {
    unsigned place, waiting; /* from 1 on; 0: not known, or nobody else waits */
};

/* Of a SandboxClaimList, which may be NULL. */
struct queue_place queue_find(const json_t *list, const struct claim_wish *wish);
