/*
 * claim_parts: what a claim of this kernel consists of; for claim.c and claim_pause.c
 * alone.
 */
#pragma once

#include "common/timer.h"
#include "kube/claim.h"
#include "kube/claim_progress.h"
#include "kube/claim_renewal.h"
#include "kube/suspension.h"

enum claim_stage {
    CREATING,
    WAITING,
    READY,
    PAUSED, /* its pod is taken away, or has been; claim_pause.c */
    ENDING, /* lost; a last look finds out why */
    LOST,   /* the owner knows */
    LEAVING,
};

/* What happens later; one timer each. */
enum claim_alarm {
    ALARM_DEADLINE,
    ALARM_END,
    ALARMS,
};

struct kube_claim {
    zloop_t *loop;
    struct kube_api *api;
    struct kube_claim_owner owner;
    unsigned wait_seconds;
    char *path;
    char name[KUBE_NAME_LEN + 1];
    struct claim_wish wish; /* owned, but for its name */

    enum claim_stage state;
    struct claim_renewal renewal;
    struct kube_call *create, *deletion;
    bool is_refused; /* the server has said that there is no such claim */
    bool is_again;   /* an earlier kernel has made it, and it has not been ready yet */
    bool is_resumed; /* it was paused, and its pod is on its way */
    struct kube_watch *watch;
    struct claim_progress progress;
    struct suspension suspension;
    bool is_asleep;  /* PAUSED: its pod is gone, as we wished */
    bool is_awaited; /* PAUSED: a cell waits; it is resumed as soon as it is asleep */
    struct timer alarms[ALARMS];
    json_t *object;          /* as last seen; NULL: not yet, or it is gone */
    struct claim_state seen; /* borrowed from object */
    char ip[64], sandbox[KUBE_NAME_LEN + 1]; /* once it was ready */
    char title[3 * KUBE_NAME_LEN + 30];
    char told[200];              /* of its end, by what runs in the pod; "": nothing */
    struct kube_problem problem; /* why it is lost, or what was last in the way */
};

/* --- claim.c's --- */
void claim_stop(struct kube_claim *claim); /* all that may call */
bool claim_is_ours(const struct kube_claim *claim);
/* Its pod has gone; it may still tell why. context is the claim. */
void claim_end(void *context);
void claim_lose(struct kube_claim *claim); /* the problem is known */
/* Until it is ready: the owner's time for that begins anew. */
void claim_wait(struct kube_claim *claim);
void claim_tell_ready(struct kube_claim *claim);

/* --- claim_pause.c's --- */
void claim_pause_init(struct kube_claim *claim);
/* An earlier kernel has paused it, and has ended. */
void claim_pause_find(struct kube_claim *claim);
void claim_pause_look(struct kube_claim *claim); /* PAUSED: the object is another one */
