/*
 * suspension: takes away the pod of a Sandbox and gives it back, with its memory.
 *
 * A snapshot comes first: a PodSnapshotManualTrigger of GKE's Pod Snapshots
 * (podsnapshot.gke.io/v1) names the pod, and its status tells when the snapshot is
 * complete. Only then is the Sandbox's operatingMode set to Suspended: agent-sandbox's
 * controller ends the pod and keeps the Sandbox. Set back to Running, the controller
 * makes the pod anew, and the node restores it from its newest snapshot. Without a
 * complete snapshot no pod is taken away.
 */
#pragma once

#include "common/timer.h"
#include "kube/claim_object.h"
#include "kube/watch.h"

struct suspension_owner {
    void (*on_suspended)(void *context); /* the controller has been told */
    void (*on_kept)(void *context, const char *why);
    void (*on_running)(void *context); /* the controller has been told */
    void (*on_failed)(void *context,
                      const struct kube_problem *problem); /* of resume */
    void *context;
};

struct suspension {
    zloop_t *loop;
    struct kube_api *api;
    const struct claim_wish *wish; /* borrowed */
    struct suspension_owner owner;
    char sandbox[KUBE_NAME_LEN + 1], pod[KUBE_NAME_LEN + 1], trigger[KUBE_NAME_LEN + 1];
    char claim_uid[64];
    char *path; /* of the triggers */
    struct kube_call *call;
    struct kube_watch *watch; /* of the trigger */
    struct timer deadline;
    bool is_patched; /* the controller may know already */
};

void suspension_init(struct suspension *suspension, zloop_t *loop, struct kube_api *api,
                     const struct claim_wish *wish,
                     const struct suspension_owner *owner);
/* Ends in on_suspended or on_kept. The trigger goes with the claim of this uid. */
void suspension_start(struct suspension *suspension, const char *sandbox,
                      const char *claim_uid);
/* False: it is too late, and on_suspended or on_kept follows. Else the pod stays. */
bool suspension_cancel(struct suspension *suspension);
/* Instead of suspension_start: somebody else has suspended it. */
void suspension_find(struct suspension *suspension, const char *sandbox);
/* After on_suspended, or suspension_find. Ends in on_running or on_failed. */
void suspension_resume(struct suspension *suspension);
void suspension_release(struct suspension *suspension);
