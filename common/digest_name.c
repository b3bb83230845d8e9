#include "common/digest_name.h"

#include <openssl/evp.h>
#include <stdio.h>

enum {
    NAME_BYTES = 8
}; /* of the digest */

char *
digest_name_path(const char *parent, struct slice text)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    char name[2 * NAME_BYTES + 1];

    EVP_Digest(text.data, text.len, digest, NULL, EVP_sha256(), NULL);
    for (size_t i = 0; i < NAME_BYTES; i++)
        snprintf(name + 2 * i, 3, "%02x", digest[i]);
    return xasprintf("%s/%s", parent, name);
}
