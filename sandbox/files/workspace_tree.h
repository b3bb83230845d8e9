/*
 * workspace_tree: all regular files of a workspace, for who keeps a copy of them.
 */
#pragma once

#include "sandbox/files/workspace.h"

enum {
    WORKSPACE_STATE_SIZE = 96
};

/* A text that changes when the file does. */
void workspace_state(const struct stat *st, char out[WORKSPACE_STATE_SIZE]);

/*
 * {"files":[["path",size,"state"],…],"is_cut":false}, a new reference. Without links,
 * hidden names, __pycache__, node_modules, names that are not UTF-8, and what is
 * mounted in it: a volume has a life of its own. is_cut: there is more than is listed
 * (LIMIT_TREE_* of common/limits.h).
 */
json_t *workspace_tree(const struct workspace *workspace, struct error *err);
