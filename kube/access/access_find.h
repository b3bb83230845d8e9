/*
 * access_find: chooses the API server and the credentials.
 */
#pragma once

#include "kube/access/access.h"

/* As kubectl does, except that a pod's own account comes before a file in the home
 * folder: $KUBECONFIG, else the service account of this pod, else ~/.kube/config.
 * context NULL: the current one. If a context is given, only kubeconfigs are used. */
int access_find(const char *context, struct kube_access *out,
                struct error *err) MUST_CHECK;
