/* A key on the first line, a text after it: where the key stood are asterisks only, and
 * nothing else has changed. */
#include <stdlib.h>

#include "bridge/models/secret.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(struct slice key, struct slice before, const char *after)
{
    size_t covered = 0; /* up to here the key stood */

    for (size_t i = 0; i < before.len; i++) {
        if (before.len - i >= key.len &&
            memcmp(before.data + i, key.data, key.len) == 0)
            covered = i + key.len;
        if (after[i] != (i < covered ? '*' : before.data[i]))
            abort();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *end = memchr(data, '\n', size);
    struct error err;

    if (!end)
        return 0;
    struct slice key = {(const char *)data, (size_t)(end - (const char *)data)};
    struct slice text = {end + 1, size - key.len - 1};
    AUTO(secret) struct secret *secret = secret_new(key, &err);
    if (!secret || key.len < 4)
        return 0;
    AUTO(mem) char *erased = xstrndup(text.data, text.len);
    secret_erase(secret, erased, text.len);
    check(key, text, erased);
    return 0;
}
