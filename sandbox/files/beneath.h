/*
 * beneath: open a path that cannot leave its folder, whoever renames things meanwhile.
 *
 * openat2 with RESOLVE_BENEATH: symbolic links are followed where they stay inside.
 * Where the kernel has no openat2 (gVisor) the path is walked one folder at a time, and
 * no symbolic link is followed at all.
 */
#pragma once

#include <sys/types.h>

#include "common/error.h"

/*
 * Paths are those of uri_path. Returns a descriptor, close-on-exec. ERR_DENIED: it
 * leads out, or the file's rights say no; ERR_NOT_FOUND; ERR_CONFLICT: something else
 * is there.
 */
int beneath_open(int root, const char *path, int flags, mode_t mode,
                 struct error *err) MUST_CHECK;

/* 0, or -1 with EBUSY: a mount of the sandbox's lies on it. Such is what protects files
 * in a workspace (isolate/protect.h). From outside the kernel would let us take the
 * file away from below the mount: so ask before a file is removed or replaced. */
int beneath_check_free(int folder, const char *name) MUST_CHECK;

/* What errno means to who asked for this path; -1. */
int beneath_explain(const char *path, struct error *err);
