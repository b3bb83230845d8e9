/*
 * uri_path: the part of a URL that names a file of a workspace.
 *
 * Pure. Percent-decoded once; what is left is a path relative to the workspace, without
 * empty segments, "." or "..": "a/b.txt", or "." for the workspace itself. Bytes are
 * taken as they are, except NUL, which is refused.
 */
#pragma once

#include "common/error.h"

/* ERR_DENIED: it would lead out of the workspace. The caller frees *out. */
int uri_path_parse(struct slice encoded, char **out, struct error *err) MUST_CHECK;

/* Decoded only; a text without NUL. */
int uri_path_decode(struct slice encoded, char **out, struct error *err) MUST_CHECK;

/* The same of a name that is not encoded (the file name of a form). */
int uri_path_clean(struct slice name, char **out, struct error *err) MUST_CHECK;
