/*
 * stage: how far a claimed pod has come, why it goes no further, and why it ended.
 *
 * From what could be had of: the claim's state, its Sandbox, its Pod and events.
 * Whoever may read claims only (as JupyterLab in deploy/gke) learns what the claim
 * says.
 */
#pragma once

#include <jansson.h>

#include "kube/access.h"
#include "kube/claim_object.h"

/* Any but the claim may be NULL. */
struct stage_facts {
    const struct claim_state *claim;
    const struct claim_wish *wish;
    const json_t *sandbox, *pod;
    const json_t *events; /* an EventList: of the pod, else of the claim */
};

/* "pulling python:3.11 (pod lab/py-abc)" */
void stage_describe(const struct stage_facts *facts, char *out, size_t size);

/* Why there is no pod any more: "evicted: The node was low on resource: memory"; ""
 * when that is not known. */
void stage_describe_end(const struct stage_facts *facts, char *out, size_t size);

/* Of a pod whose container was started again: how often. */
json_int_t stage_restarts(const json_t *pod);
