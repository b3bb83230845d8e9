/*
 * uri_path: the part of a URL that names a file of a workspace.
 *
 * Pure. Percent-decoded once; what is left is a path relative to the workspace, without
 * empty segments, "." or "..": "a/b.txt", or "." for the workspace itself. Bytes are
 * taken as they are but for NUL, which is refused.
 */
#pragma once

#include "common/error.h"

/* ERR_DENIED: it would climb out. *out is the caller's to free. */
int uri_path_parse(struct slice encoded, char **out, struct error *err) MUST_CHECK;

/* Decoded only; a text without NUL. */
int uri_path_decode(struct slice encoded, char **out, struct error *err) MUST_CHECK;

/* The same of a name that is not encoded (the file name of a form). */
int uri_path_clean(struct slice name, char **out, struct error *err) MUST_CHECK;
