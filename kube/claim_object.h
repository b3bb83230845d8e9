/*
 * claim_object: writes a SandboxClaim, and reads its state.
 *
 * extensions.agents.x-k8s.io/v1beta1.
 */
#pragma once

#include <jansson.h>
#include <time.h>

#include "common/base.h"

#define KUBE_NAME_LEN    63 /* of a label of DNS */
#define CLAIM_GROUP      "extensions.agents.x-k8s.io"
#define CLAIM_VERSION    CLAIM_GROUP "/v1beta1"
#define CLAIM_RESOURCE   "sandboxclaims." CLAIM_GROUP
#define POD_LABEL_DOMAIN "sandbox.users.io"
#define SANDBOX_RESOURCE "sandboxes.agents.x-k8s.io"
/* For its namespace. */
#define SANDBOX_PATH     "/apis/agents.x-k8s.io/v1beta1/namespaces/%s/sandboxes"

/* Borrowed. */
struct claim_wish {
    const char *namespace, *name, *pool;
    const char *user, *host; /* the owner, unchanged: a label allows fewer characters */
};

json_t *claim_object_make(const struct claim_wish *wish, time_t shutdown);
/* A merge patch that moves the time at which the claim ends by itself. */
json_t *claim_object_renewal(time_t shutdown);

/* cellpod-USER-RANDOM: legal and, by its 64 random bits, unique. 0, or -1 with errno.
 */
int claim_object_make_name(const char *user, char out[KUBE_NAME_LEN + 1])
    __attribute__((warn_unused_result));
/* The part of the text that the value of a label may hold; "" if there is none. */
void claim_object_label(const char *text, char out[KUBE_NAME_LEN + 1]);
/* Letters, digits, '-' and '.', as names of objects are. */
bool claim_object_is_name(const char *text);
/* The name of a Sandbox's pod: its own, but where an annotation has another. Borrowed.
 */
const char *claim_object_pod(const json_t *sandbox, const char *name);

enum claim_phase {
    CLAIM_PENDING,
    CLAIM_READY,
    CLAIM_REFUSED, /* it will never be ready; reason and message say why */
    CLAIM_ENDED,   /* deleted, expired, or its pod has ended */
};

/* Borrowed from the object; absent members are NULL. */
struct claim_state {
    enum claim_phase phase;
    const char *reason, *message; /* of its Ready condition */
    const char *sandbox, *ip;
    const char *version; /* resourceVersion */
    time_t created;      /* by the server's clock; 0: not said */
};

/* Its Sandbox has been told to have no pod. */
bool claim_object_is_suspended(const struct claim_state *state);

/* object NULL: there is none any more. */
void claim_object_read(const json_t *object, struct claim_state *out);
