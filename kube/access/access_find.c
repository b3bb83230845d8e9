#include "kube/access/access_find.h"

#include <pwd.h>

#include "kube/access/kubeconfig.h"

#define SERVICE_ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount"

static char *
home_kubeconfig(void)
{
    const char *home = getenv("HOME");
    const struct passwd *user = home && *home ? NULL : getpwuid(geteuid());

    if (user)
        home = user->pw_dir;
    return home && *home ? xasprintf("%s/.kube/config", home) : NULL;
}

static int
from_kubeconfig(const char *paths, const char *context, struct kube_access *out,
                struct error *err)
{
    AUTO(kubeconfig) struct kubeconfig config = KUBECONFIG_INIT;

    return kubeconfig_load(&config, paths, err) < 0 ||
                   kubeconfig_select(&config, context, out, err) < 0
               ? -1
               : 0;
}

int
access_find(const char *context, struct kube_access *out, struct error *err)
{
    const char *named = getenv("KUBECONFIG");
    const char *host = getenv("KUBERNETES_SERVICE_HOST");
    const char *port = getenv("KUBERNETES_SERVICE_PORT");
    const char *folder = getenv("CELLPOD_SERVICE_ACCOUNT");
    AUTO(mem) char *in_home = home_kubeconfig();

    if (named && *named)
        return from_kubeconfig(named, context, out, err);
    if (!context && host && *host && port && *port)
        return kube_access_in_cluster(folder && *folder ? folder : SERVICE_ACCOUNT,
                                      host, port, out, err);
    if (in_home && access(in_home, F_OK) == 0)
        return from_kubeconfig(in_home, context, out, err);
    return error_set(err, ERR_NOT_FOUND,
                     "no cluster is configured: ~/.kube/config does not exist, "
                     "KUBECONFIG is not set, and this is not a pod; `gcloud container "
                     "clusters get-credentials CLUSTER' configures one");
}
