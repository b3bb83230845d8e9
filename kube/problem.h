/*
 * problem: why a call to Kubernetes failed, in words for the user.
 *
 * One sentence with the object's name, and a command for details. Text from a server is
 * shortened and cleaned of control characters.
 */
#pragma once

#include "common/error.h"
#include "kube/access/access.h"

struct kube_problem {
    char message[640], remedy[320];
};

/* What was asked: "create", "SandboxClaim", its namespace and name. Borrowed. */
struct kube_subject {
    const char *verb, *kind,
        *resource;                /* resource as RBAC has it: sandboxclaims.GROUP */
    const char *namespace, *name; /* name may be NULL */
};

/* From an answer that reports failure. status 0: there was no answer, and transport
 * says why. */
void kube_problem_of_answer(const struct kube_access *access,
                            const struct kube_subject *subject, long status,
                            struct slice body, const struct error *transport,
                            struct kube_problem *out);

/* A copy of `text` that can be shown: bounded, without control characters. NULL is "".
 */
void kube_problem_clean(char *out, size_t size, const char *text);
