/*
 * claim_progress: how far a claim has come, told while its kernel waits for a pod; and
 * a last look, when the pod has ended, for the reason.
 *
 * A while after the claim was made it begins to follow the objects behind it (scene.h).
 */
#pragma once

#include "common/timer.h"
#include "kube/look.h"
#include "kube/scene.h"
#include "kube/stage.h"

struct claim_progress_owner {
    void (*on_stage)(void *context, const char *stage); /* after each change */
    void (*on_last_look)(void *context);
    void *context;
};

struct claim_progress {
    zloop_t *loop;
    const struct claim_wish *wish;
    const struct claim_state *state; /* as the owner has last seen the claim */
    struct claim_progress_owner owner;
    struct scene scene;
    struct look look; /* the last one */
    struct timer start;
    bool follows, is_last;
};

/* wish and state outlive it. */
void claim_progress_init(struct claim_progress *progress, zloop_t *loop,
                         struct kube_api *api, const struct claim_wish *wish,
                         const struct claim_state *state,
                         const struct claim_progress_owner *owner);
void claim_progress_start(struct claim_progress *progress);
/* The state is another one, and the claim still waits. */
void claim_progress_changed(struct claim_progress *progress);
/* Also when it was not started. */
void claim_progress_stop(struct claim_progress *progress);
/* Looks at once, and calls on_last_look; nothing else follows. */
void claim_progress_look_at_end(struct claim_progress *progress, const char *sandbox);

/* What is known now, borrowed. */
struct stage_facts claim_progress_facts(const struct claim_progress *progress);
