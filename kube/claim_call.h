/*
 * claim_call: the calls to the API server about one claim.
 */
#pragma once

#include "kube/api.h"
#include "kube/claim_object.h"

/* The callbacks of a call's owner. */
struct claim_call_owner {
    void (*on_retry)(void *context, const char *why); /* or NULL */
    kube_done_fn *on_done;
    void *context;
};

/* About no object; whatever the answer is, it tells the server's clock. */
struct kube_call *claim_call_greet(struct kube_api *api, const struct claim_wish *wish,
                                   int64_t patience_ms,
                                   const struct claim_call_owner *owner);
/* shutdown: when the cluster ends it by itself. */
struct kube_call *claim_call_create(struct kube_api *api, const struct claim_wish *wish,
                                    time_t shutdown, int64_t patience_ms,
                                    const struct claim_call_owner *owner);
struct kube_call *claim_call_renew(struct kube_api *api, const struct claim_wish *wish,
                                   time_t shutdown, int64_t patience_ms,
                                   const struct claim_call_owner *owner);
struct kube_call *claim_call_delete(struct kube_api *api, const struct claim_wish *wish,
                                    const struct claim_call_owner *owner);

/* For messages about the claim, and the path of the collection of claims; owned. */
struct kube_subject claim_call_subject(const struct claim_wish *wish, const char *verb);
char *claim_call_collection(const struct claim_wish *wish);
