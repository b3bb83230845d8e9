/*
 * secret: an API key or a token, in memory that is locked, left out of core dumps,
 * wiped in a forked child and wiped when it is given up.
 *
 * No function formats a secret or copies it out. It can only be used for a header line
 * in memory of the same kind, which libcurl borrows, and to erase it from text that a
 * server sent back.
 */
#pragma once

#include "common/error.h"

struct secret;

/* Keys of at most LIMIT_KEY bytes, without blanks around or control characters in them.
 */
struct secret *secret_new(struct slice bytes, struct error *err) MUST_CHECK;
void secret_free(struct secret *secret);
struct secret *secret_copy(const struct secret *secret, struct error *err) MUST_CHECK;

/* Removes the variable from the environment, including its bytes in /proc/PID/environ.
 * NULL without an error (err->text is "") when it is not set or is empty. */
struct secret *secret_take_env(const char *name, struct error *err) MUST_CHECK;

/* A file that nobody else may read, or one on a read-only mount (a mounted secret). */
struct secret *secret_read_file(const char *path, struct error *err) MUST_CHECK;

/* prefix + secret, NUL-terminated, as a header line for libcurl to borrow. */
struct secret *secret_header(const char *prefix, const struct secret *secret,
                             struct error *err) MUST_CHECK;
char *secret_borrow(const struct secret *secret);

/* Overwrites each occurrence in the text with as many '*'. */
void secret_erase(const struct secret *secret, char *text, size_t len);

static inline void
auto_secret(struct secret **secret)
{
    secret_free(*secret);
}
