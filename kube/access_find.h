/*
 * access_find: which API server is meant, where nobody says it.
 */
#pragma once

#include "kube/access.h"

/* As kubectl finds its way, but that a pod's own account comes before a file in the
 * home folder: $KUBECONFIG, else the service account of this pod, else
 * ~/.kube/config. context NULL: the current one; a context is always kubeconfig's. */
int access_find(const char *context, struct kube_access *out,
                struct error *err) MUST_CHECK;
