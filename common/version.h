/*
 * version: which cellpod this is.
 *
 * The version comes from the file VERSION, and is semantic: docs/releasing.md says what
 * counts as a breaking change. The build tag differs whenever the sources differ. It is
 * part of the name of sandboxd's socket, so that a kernel never talks to a daemon of
 * another build.
 */
#pragma once

extern const char cellpod_version[];    /* "0.1.0" */
extern const char cellpod_build[];      /* "1f2e3d4c5b6a" */
extern const char cellpod_user_agent[]; /* "cellpod/0.1.0", in every HTTP request */

/* "PROGRAM 0.1.0 (1f2e3d4c5b6a)" to standard output, as each program's --version says.
 * The program's exit status. */
int version_print(const char *program);
