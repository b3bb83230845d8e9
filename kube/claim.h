/*
 * claim: one SandboxClaim of ours, from its creation to its deletion.
 *
 * Its name is chosen here, so that a creation whose answer was lost can be told from
 * one that failed, and nothing is created twice. It is created with a time at which the
 * cluster itself ends it, which is moved on while we live: whatever becomes of this
 * process, no claim stays. Its state is watched; while it takes long, it is found out
 * how far it is and why it goes no further.
 */
#pragma once

#include "kube/claim_object.h"
#include "kube/watch.h"

struct kube_claim;

struct kube_claim_spec {
    const char *namespace, *pool, *user, *host; /* copied */
    unsigned ttl_seconds;                       /* after which nobody renews it */
    unsigned wait_seconds;                      /* for it to be ready */
};

struct kube_claim_owner {
    void (*on_stage)(void *context, const char *stage);
    /* Once. ip and sandbox are borrowed from the claim. */
    void (*on_ready)(void *context, const char *ip, const char *sandbox);
    /* It is unusable or gone: leave it. Once. */
    void (*on_lost)(void *context, const struct kube_problem *problem);
    /* After kube_claim_leave: it is deleted, or ends by itself. It is freed now. */
    void (*on_gone)(void *context, struct kube_claim *claim);
    void *context;
};

struct kube_claim *kube_claim_new(zloop_t *loop, struct kube_api *api,
                                  const struct kube_claim_spec *spec,
                                  const struct kube_claim_owner *owner,
                                  struct error *err) MUST_CHECK;
/* What runs in the pod says that it has ended, or says nothing any more: on_lost
 * follows within seconds, with that and with what the cluster knows of it. False: it
 * was not ready, nothing follows. */
bool kube_claim_doubt(struct kube_claim *claim, const char *told);
/* Delete it. None but on_gone follows, not before this returns. */
void kube_claim_leave(struct kube_claim *claim);
/* At the end of the process: what is under way is given up. */
void kube_claim_free(struct kube_claim *claim);

/* "pod lab/py-abc (SandboxClaim lab/cellpod-…)", for messages. */
const char *kube_claim_title(const struct kube_claim *claim);
