/*
 * paths: where cellpod keeps what outlives one process.
 *
 *     runtime   $XDG_RUNTIME_DIR/cellpod, else /tmp/cellpod-UID     sockets, locks
 *     state     $XDG_STATE_HOME/cellpod, else ~/.local/state/cellpod   log, histories
 *     cache     $XDG_CACHE_HOME/cellpod, else ~/.cache/cellpod         models' answers
 *
 * Each is made on demand with mode 0700, and refused if another user owns it or may
 * write to it. The caller frees the strings.
 */
#pragma once

#include "common/error.h"

char *paths_runtime_dir(struct error *err) MUST_CHECK;
char *paths_state_dir(struct error *err) MUST_CHECK;
char *paths_cache_dir(struct error *err) MUST_CHECK;

/* $XDG_CONFIG_HOME/cellpod, else ~/.config/cellpod. It belongs to the user: it is never
 * made, and need not exist. */
char *paths_config_dir(void);

/* "~/x" becomes HOME/x; everything else is copied. */
char *paths_expand_home(const char *path);

/* runtime dir + "/sandboxd-BUILD.sock" */
char *paths_sandboxd_socket(struct error *err) MUST_CHECK;

/* A file of this installation, by its path below the prefix (found from the running
 * program's place in PREFIX/bin): "share/cellpod/worker", "bin/cellpod-sandboxd". */
char *paths_installed(const char *below_prefix, struct error *err) MUST_CHECK;

/* The Python that this installation was made with, the default if none is named: the
 * content of PREFIX/share/cellpod/python. NULL if that is empty, or names a file that
 * does not exist. */
char *paths_python(void);
