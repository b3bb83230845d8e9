/* What an exec plugin prints: no token comes out that could not be a header. */
#include <stdlib.h>

#include "kube/access/exec_credential.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(exec_credential) struct exec_credential found = {0};
    struct error err;

    if (exec_credential_parse((struct slice){(const char *)data, size},
                              "client.authentication.k8s.io/v1", &found, &err) < 0)
        return 0;
    if (!found.token && !found.cert_pem)
        abort();
    if (found.token && strpbrk(found.token, "\r\n "))
        abort();
    return 0;
}
