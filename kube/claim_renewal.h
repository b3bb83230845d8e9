/*
 * claim_renewal: moves forward the time at which the cluster itself ends a claim.
 *
 * It does so every third of the claim's time to live, so a server that cannot be
 * reached for a while does no harm.
 */
#pragma once

#include "common/timer.h"
#include "kube/api.h"
#include "kube/claim_object.h"

struct claim_renewal {
    zloop_t *loop;
    struct kube_api *api;
    const struct claim_wish *wish; /* borrowed */
    unsigned ttl_seconds;
    time_t skew; /* the server's clock minus ours */
    struct timer timer;
    struct kube_call *call;
};

void claim_renewal_init(struct claim_renewal *renewal, zloop_t *loop,
                        struct kube_api *api, const struct claim_wish *wish,
                        unsigned ttl_seconds);
void claim_renewal_start(struct claim_renewal *renewal);
void claim_renewal_now(struct claim_renewal *renewal);  /* then as started */
void claim_renewal_stop(struct claim_renewal *renewal); /* also when not started */

/* When the claim ends without a further renewal, by the server's clock. */
time_t claim_renewal_shutdown_time(const struct claim_renewal *renewal);
/* Takes the time of the server. If it differs from what was known, and the claim is
 * there, renews at once. */
void claim_renewal_set_clock(struct claim_renewal *renewal, time_t server_now);
void claim_renewal_set_skew(struct claim_renewal *renewal, time_t skew);
