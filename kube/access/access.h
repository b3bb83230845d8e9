/*
 * access: the address of an API server, and the credentials for it.
 *
 * Made from a kubeconfig (kube/access/kubeconfig.h) or, inside a cluster, from the
 * service account of the pod; kube/access/access_find.h chooses. Everything is owned;
 * NULL means "not given".
 */
#pragma once

#include <jansson.h>

#include "common/error.h"
#include "kube/access/secret_text.h"

/* A program that yields credentials: kubeconfig's users[].user.exec. */
struct kube_exec {
    char *command;     /* with a slash: a path; else looked for in PATH */
    json_t *args;      /* array of strings, or NULL */
    json_t *env;       /* array of {"name","value"}, or NULL */
    char *api_version; /* client.authentication.k8s.io/v1 or /v1beta1 */
    char *install_hint;
    bool wants_cluster; /* provideClusterInfo */
};

struct kube_access {
    char *server; /* https://HOST[:PORT][/PATH], without a slash at the end */
    char *proxy;  /* NULL: as the environment says */
    char *tls_name;
    char *ca_pem; /* NULL: the system's */
    char *cert_pem, *key_pem;
    char *token;      /* fixed */
    char *token_path; /* read again as it rotates */
    struct kube_exec exec;
    char *namespace; /* NULL: not said */
    char *origin;    /* where this comes from, for messages: context `gke' of
                        /home/u/.kube/config */
    char *kubectl;   /* likewise: how kubectl is called for this cluster */
};

void kube_access_release(struct kube_access *access);

static inline void
auto_kube_access(struct kube_access *access)
{
    kube_access_release(access);
}

/* Reads token, ca.crt and namespace from the folder, for the server at host and
 * port. */
int kube_access_in_cluster(const char *folder, const char *host, const char *port,
                           struct kube_access *out, struct error *err) MUST_CHECK;

/* The file without white space at its end: one word of printable characters. */
char *kube_access_read_token(const char *path, struct error *err) MUST_CHECK;
