#include "sandbox/token.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <sys/random.h>

void
token_random_hex(char *out, size_t bytes)
{
    unsigned char random[TOKEN_BYTES];

    if (getrandom(random, bytes, 0) != (ssize_t)bytes)
        abort();
    for (size_t i = 0; i < bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", random[i]);
    explicit_bzero(random, sizeof(random));
}

void
token_make(struct token *out)
{
    token_random_hex(out->text, TOKEN_BYTES);
}

/* The length of a guess may leak: all tokens have the same length. */
bool
token_matches(const struct token *token, const char *guess)
{
    return guess && strlen(guess) == TOKEN_LEN &&
           CRYPTO_memcmp(token->text, guess, TOKEN_LEN) == 0;
}
