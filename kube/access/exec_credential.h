/*
 * exec_credential: the input and the output of an exec plugin of a kubeconfig.
 *
 * client.authentication.k8s.io/v1 and v1beta1, ExecCredential.
 */
#pragma once

#include <time.h>

#include "kube/access/access.h"

/* A token, or a certificate and its key. Owned. */
struct exec_credential {
    char *token, *cert_pem, *key_pem;
    time_t expires; /* 0: not said */
};

void exec_credential_release(struct exec_credential *credential);

static inline void
auto_exec_credential(struct exec_credential *credential)
{
    exec_credential_release(credential);
}

/* Errors do not quote the text. */
int exec_credential_parse(struct slice text, const char *api_version,
                          struct exec_credential *out, struct error *err) MUST_CHECK;

/* KUBERNETES_EXEC_INFO for this access; the caller frees it. */
char *exec_credential_info(const struct kube_access *access);
