/*
 * tree: the files that a sandbox sees, in the order in which they are put there.
 *
 * Everything is read-only but the scratch folders (one file system of a stated size),
 * what the plan binds as writable, and terminals. Nothing of the host's /run, /var,
 * /root, /home and /tmp is there, and of /etc only what
 * tree_contents.c lists.
 */
#pragma once

#include "sandbox/isolate/failure.h"

struct tree {
    const struct isolate_plan *plan;
    int root;     /* the new root; -1 before and after */
    int scratch;  /* the file system below /tmp, /home/sandbox, ... */
    int proc;     /* /proc as it is, before it was masked and made read-only */
    int listener; /* for the proxy */
};

#define TREE_INIT(the_plan)         \
    {                               \
        (the_plan), -1, -1, -1, -1, \
    }

int tree_make_private(struct tree *tree, struct isolate_failure *failure) MUST_CHECK;
int tree_make_root(struct tree *tree, struct isolate_failure *failure) MUST_CHECK;
int tree_add_folders(struct tree *tree, struct isolate_failure *failure) MUST_CHECK;
int tree_add_scratch(struct tree *tree, struct isolate_failure *failure) MUST_CHECK;
int tree_add_system(struct tree *tree, struct isolate_failure *failure) MUST_CHECK;
int tree_add_devices(struct tree *tree, struct isolate_failure *failure) MUST_CHECK;
int tree_add_proc(struct tree *tree, struct isolate_failure *failure) MUST_CHECK;
int tree_add_binds(struct tree *tree, struct isolate_failure *failure) MUST_CHECK;
int tree_close(struct tree *tree, struct isolate_failure *failure) MUST_CHECK;
int tree_enter(struct tree *tree, struct isolate_failure *failure) MUST_CHECK;
