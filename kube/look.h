/*
 * look: reads the objects behind a claim once: its Sandbox, its Pod, their events; and
 * the claims of the same pool, for its place among those that wait.
 *
 * An object that we may not read is left out, and not asked for again. The claims are
 * counted first, and listed the more rarely the more there are: where hundreds wait,
 * each of them asks for all.
 */
#pragma once

#include "kube/api.h"
#include "kube/claim_object.h"

enum look_step {
    LOOK_SANDBOX,
    LOOK_POD,
    LOOK_EVENTS,
    LOOK_QUEUE,
    LOOK_STEPS,
};

struct look {
    struct kube_api *api;
    const struct claim_wish *wish;
    bool is_forbidden[LOOK_STEPS];
    struct kube_call *call; /* NULL: none is under way */
    enum look_step step;
    int64_t began_ms, list_due_ms; /* of the queue; 0: not counted yet */
    char sandbox[KUBE_NAME_LEN + 1], pod[KUBE_NAME_LEN + 1];
    json_t *found[LOOK_STEPS]; /* NULL: could not be read */
    void (*done)(void *context);
    void *context;
};

void look_init(struct look *look, struct kube_api *api, const struct claim_wish *wish,
               void (*done)(void *context), void *context);
/* sandbox may be NULL. One look at a time: nothing happens while one is under way. */
void look_start(struct look *look, const char *sandbox);
void look_release(struct look *look);
