/* Whatever a kubeconfig holds: an access that is whole, or a sentence. What is chosen
 * has a server that is safe to send a token to. */
#include <stdlib.h>

#include "kube/access/kubeconfig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(kubeconfig) struct kubeconfig config = KUBECONFIG_INIT;
    AUTO(kube_access) struct kube_access access = {0};
    struct error err = {0};

    /* no folder: relative paths of the text lead nowhere */
    if (kubeconfig_add(&config, "/nonexistent/x",
                       (struct slice){(const char *)data, size}, &err) < 0 ||
        kubeconfig_select(&config, NULL, &access, &err) < 0) {
        if (!*err.text)
            abort();
        return 0;
    }
    if (strncmp(access.server, "https://", 8) != 0 &&
        strncmp(access.server, "http://", 7) != 0)
        abort();
    if (access.token && strpbrk(access.token, "\r\n "))
        abort();
    if (!access.cert_pem != !access.key_pem)
        abort();
    return 0;
}
