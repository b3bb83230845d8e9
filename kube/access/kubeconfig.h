/*
 * kubeconfig: kubectl's configuration files.
 *
 * $KUBECONFIG may list several, separated by colons: they are merged as kubectl merges
 * them (of entries of one name the first wins; paths are relative to the file that
 * names them; files that do not exist are passed over).
 *
 * These are refused, not ignored, since without them we would talk to another server,
 * as another user, or without knowing to whom: insecure-skip-tls-verify, impersonation,
 * the old auth-provider plugins, passwords, a token over plain HTTP.
 */
#pragma once

#include "kube/access/access.h"

enum {
    KUBECONFIG_FILES = 16
};

struct kubeconfig {
    size_t count;
    struct {
        char *path;
        json_t *root;
    } files[KUBECONFIG_FILES];
};

#define KUBECONFIG_INIT \
    {                   \
        0               \
    }

/* paths as in $KUBECONFIG. */
int kubeconfig_load(struct kubeconfig *config, const char *paths,
                    struct error *err) MUST_CHECK;
/* Merges one more file, with this text. path is for messages; relative paths start from
 * its folder. */
int kubeconfig_add(struct kubeconfig *config, const char *path, struct slice text,
                   struct error *err) MUST_CHECK;
void kubeconfig_release(struct kubeconfig *config);

/* context NULL or "": the current one. */
int kubeconfig_select(const struct kubeconfig *config, const char *context,
                      struct kube_access *out, struct error *err) MUST_CHECK;

static inline void
auto_kubeconfig(struct kubeconfig *config)
{
    kubeconfig_release(config);
}
