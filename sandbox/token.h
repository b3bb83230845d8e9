/*
 * token: what opens one sandbox to who claimed it.
 *
 * 256 random bits in hexadecimal. A comparison takes as long whatever was guessed.
 */
#pragma once

#include "common/base.h"

enum {
    TOKEN_BYTES = 32,
    TOKEN_LEN = 2 * TOKEN_BYTES,
};

struct token {
    char text[TOKEN_LEN + 1];
};

void token_make(struct token *out);
bool token_matches(const struct token *token, const char *guess); /* NULL: none */

/* Random hexadecimal digits, two for each byte, and a NUL. At most TOKEN_BYTES. */
void token_random_hex(char *out, size_t bytes);
