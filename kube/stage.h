/*
 * stage: how far a claimed pod has come, why it does not go on, and why it ended.
 *
 * It uses what could be read of the claim's state, its Sandbox, its Pod and events. An
 * account that may read only claims (as JupyterLab in deploy/gke) gets what the claim
 * says.
 */
#pragma once

#include <jansson.h>

#include "kube/access/access.h"
#include "kube/claim_object.h"

/* All except the claim may be NULL. */
struct stage_facts {
    const struct claim_state *claim;
    const struct claim_wish *wish;
    const json_t *sandbox, *pod;
    const json_t *events; /* an EventList: of the pod, else of the claim */
    const json_t *queue;  /* a SandboxClaimList of the namespace */
};

/* "pulling python:3.11 (pod lab/py-abc)" */
void stage_describe(const struct stage_facts *facts, char *out, size_t size);

/* Why the pod has gone: "evicted: The node was low on resource: memory"; "" when that
 * is not known. */
void stage_describe_end(const struct stage_facts *facts, char *out, size_t size);

/* How often the pod's container was restarted. */
json_int_t stage_restarts(const json_t *pod);
