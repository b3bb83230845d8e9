/*
 * key_file: a key that two programs share, in a file of its owner's.
 *
 * One line of 16 to 512 printable characters without spaces, as `openssl rand -hex 32`
 * makes it. A file that everybody may read is refused: it would be no secret.
 */
#pragma once

#include "common/error.h"

enum {
    KEY_FILE_SHORTEST = 16,
    KEY_FILE_LONGEST = 512,
};

/* The caller frees it. */
char *key_file_read(const char *path, struct error *err) MUST_CHECK;

/* Takes as long whatever was guessed. NULL: nothing was. */
bool key_file_matches(const char *key, const char *guess);
