/*
 * claim_renewal: moves on the time at which the cluster ends a claim by itself.
 *
 * At a third of that time, again and again; a server that is out of reach for a while
 * costs nothing.
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
void claim_renewal_stop(struct claim_renewal *renewal); /* also when not started */

/* By the server's clock: when the claim ends if nobody renews it any more. */
time_t claim_renewal_shutdown_time(const struct claim_renewal *renewal);
/* The server says what time it is. If that is another than ours, renews at once. */
void claim_renewal_set_clock(struct claim_renewal *renewal, time_t server_now);
