/*
 * carry_path: paths below the notebook's folder, as they go to and from a sandbox that
 * is elsewhere.
 *
 * A path is relative, UTF-8, without empty components, "." and "..", and without
 * control characters; bounded in length and depth. Whatever a sandbox names is checked
 * here before anything is done with it.
 */
#pragma once

#include "common/error.h"

enum {
    CARRY_PATH_BYTES = 1024,
    CARRY_PATH_DEPTH = 16, /* folders above a file */
};

bool carry_path_is_valid(struct slice path);

/* What is hidden, and folders of programs that are made anew everywhere (__pycache__,
 * node_modules): never carried, in either direction. One component. */
bool carry_path_is_left(const char *name);
/* The same for any component of a path. */
bool carry_path_has_left(const char *path);

/* Percent-encoded, slashes kept. The caller frees it. */
char *carry_path_encode(const char *path);

/* Opens it below a folder; no link is followed, not in the middle either. A descriptor,
 * close-on-exec, or -1 with errno. */
int carry_path_open(int root, const char *path, int flags, mode_t mode);
