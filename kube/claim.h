/*
 * claim: one SandboxClaim of this kernel, from its creation to its deletion; or from
 * where an earlier kernel has left it.
 *
 * Its name is chosen here, so that a creation whose answer was lost can be told from
 * one that failed, and nothing is created twice. It is created with a time at which the
 * cluster itself ends it; while this process lives, it moves that time forward. So no
 * claim stays, whatever happens to this process. The claim's state is watched. If it
 * takes long, other objects are read to say how far it is and why it does not go on.
 */
#pragma once

#include "kube/claim_object.h"
#include "kube/watch.h"

struct kube_claim;

struct kube_claim_spec {
    const char *namespace, *pool, *user, *host; /* copied */
    const char *again;     /* the name of one that is there; NULL: a new one is made */
    unsigned ttl_seconds;  /* how long it lives without renewal */
    unsigned wait_seconds; /* for it to be ready */
};

struct kube_claim_owner {
    void (*on_stage)(void *context, const char *stage);
    /* Once. ip and sandbox are borrowed from the claim. */
    void (*on_ready)(void *context, const char *ip, const char *sandbox);
    /* Instead of on_ready: the one of `again` is not there any more, or never will be
     * ready; call kube_claim_leave. */
    void (*on_missing)(void *context, const char *why);
    /* The claim is unusable or gone; call kube_claim_leave. Called once. */
    void (*on_lost)(void *context, const struct kube_problem *problem);
    /* After kube_claim_leave: the claim is deleted, or will end by itself. It is freed
     * now. */
    void (*on_gone)(void *context, struct kube_claim *claim);
    /* why: NULL, or why it keeps its pod. Not after kube_claim_resume. */
    void (*on_paused)(void *context, const char *why);
    void *context;
};

struct kube_claim *kube_claim_new(zloop_t *loop, struct kube_api *api,
                                  const struct kube_claim_spec *spec,
                                  const struct kube_claim_owner *owner,
                                  struct error *err) MUST_CHECK;
/* Call this when the program in the pod reports that it has ended, or is silent:
 * on_lost follows within seconds, with that report and with what the cluster knows
 * about it. False: the claim was not ready, and nothing follows. */
bool kube_claim_doubt(struct kube_claim *claim, const char *told);
/* While nobody needs it: takes its pod away, if a snapshot of it can be had before
 * (suspension.h), and keeps the claim. False: it is not ready. Ends in on_paused. */
bool kube_claim_pause(struct kube_claim *claim);
/* At any time after kube_claim_pause. Ends in on_ready, or on_lost. */
void kube_claim_resume(struct kube_claim *claim);
/* Delete it. Only on_gone follows, not before this returns. */
void kube_claim_leave(struct kube_claim *claim);
/* At the end of the process: gives up all calls that are under way. */
void kube_claim_free(struct kube_claim *claim);

const char *kube_claim_name(const struct kube_claim *claim);
/* "pod lab/py-abc (SandboxClaim lab/cellpod-…)", for messages. */
const char *kube_claim_title(const struct kube_claim *claim);
