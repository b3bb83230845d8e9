/*
 * secret_text: a token or a key in memory that is wiped before it is freed.
 *
 * It is never formatted or logged. It is heap memory, because keys of certificates are
 * larger than the locked pages in which bridge/models/secret keeps API keys.
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
