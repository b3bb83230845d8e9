/*
 * gke_options: which pods `--sandbox gke` claims, and how they are reached.
 *
 *     --pool NAME       CELLPOD_GKE_POOL        SandboxWarmPool (cellpod)
 *     --namespace NAME  CELLPOD_GKE_NAMESPACE   its namespace (the context's, the
 * pod's)
 *     --context NAME    CELLPOD_GKE_CONTEXT     of the kubeconfig (the current one)
 *     --router URL      CELLPOD_GKE_ROUTER      sandbox router; `direct': the pod
 * (direct)
 *     --port N          CELLPOD_GKE_PORT        on which sandboxd listens there (8888)
 *     --ttl SECONDS     CELLPOD_GKE_TTL         until a claim ends that nobody renews
 * (600)
 *     --wait SECONDS    CELLPOD_GKE_WAIT        for a pod to be ready (600)
 *     --suspend SECONDS CELLPOD_GKE_SUSPEND     of idleness; 0: never (0)
 */
#pragma once

#include "common/error.h"

enum gke_option {
    GKE_POOL,
    GKE_NAMESPACE,
    GKE_CONTEXT,
    GKE_ROUTER,
    GKE_PORT,
    GKE_TTL,
    GKE_WAIT,
    GKE_SUSPEND,
    GKE_OPTIONS,
};

/* As given; NULL: not. Borrowed from the command line. */
struct gke_options {
    const char *given[GKE_OPTIONS];
};

/* Checked. Strings are borrowed; NULL: none, or to be found out later. */
struct gke_settings {
    const char *pool, *namespace, *context, *router;
    unsigned port, ttl_seconds, wait_seconds, suspend_seconds;
};

/* "--pool", …; NULL at GKE_OPTIONS. */
const char *gke_options_name(enum gke_option option);

/* The command line overrides the environment, which overrides the default. */
int gke_options_check(const struct gke_options *options, struct gke_settings *out,
                      struct error *err) MUST_CHECK;
