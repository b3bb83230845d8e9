/*
 * look: reads the objects behind a claim once: its Sandbox, its Pod, their events. What
 * we may not read is left out.
 */
#pragma once

#include "kube/api.h"
#include "kube/claim_object.h"

enum look_step {
    LOOK_SANDBOX,
    LOOK_POD,
    LOOK_EVENTS,
    LOOK_STEPS,
};

struct look {
    struct kube_api *api;
    const struct claim_wish *wish;
    bool is_forbidden[LOOK_STEPS];
    struct kube_call *call; /* NULL: none is under way */
    enum look_step step;
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
