/*
 * secret_text: a token or a key in memory that is wiped when it is given up.
 *
 * Not formatted, not logged. Heap memory, because keys of certificates are larger than
 * the locked pages that bridge/secret keeps API keys in.
 */
#pragma once

#include <string.h>

#include "common/base.h"

static inline void
secret_text_free(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

static inline void
auto_secret_text(char **text)
{
    secret_text_free(*text);
}
