/*
 * mount: the descriptor-based mount API (Linux 5.2 to 5.12), which glibc lacks before
 * 2.36. Each returns a descriptor or 0, or -1 with errno.
 */
#pragma once

#include <linux/mount.h>

#include "common/base.h"

/* Options of a new file system; a NULL name ends the list. */
struct mount_option {
    const char *name, *value;
};

/* A file system that is mounted nowhere yet. */
int mount_new(const char *type, const struct mount_option *options,
              uint64_t attributes) MUST_CHECK;

/* A copy of what is mounted at a file or folder, with all that is mounted below it. */
int mount_copy(int place) MUST_CHECK;

/* Set attributes on a mount and those below it. */
int mount_restrict(int mount, uint64_t attributes) MUST_CHECK;

/* The same for this one mount only. */
int mount_restrict_one(int mount, uint64_t attributes) MUST_CHECK;

/* Files of a mount that is not attached yet get the owners that the user namespace
 * says. */
int mount_map_owners(int mount, int user_namespace) MUST_CHECK;

int mount_attach(int mount, int place) MUST_CHECK;

/* Nothing that is mounted here shows outside this mount namespace, nor the reverse. */
int mount_make_private(const char *path) MUST_CHECK;

int mount_pivot(int new_root) MUST_CHECK;

/* Open a path for reference; never through a symbolic link. */
int mount_open_exact(int base, const char *path, uint64_t resolve) MUST_CHECK;
