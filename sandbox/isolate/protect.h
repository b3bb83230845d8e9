/*
 * protect: what code in a sandbox may not change in the user's own folder.
 *
 * Notebooks, whatever begins with a dot (.git, .venv, .vscode, .ipynb_checkpoints),
 * Python environments and files that programs act on without being asked become
 * read-only where they are: a program of the user's may run what they say, outside. So
 * do files with further names (hard links), which may be anywhere, and set-user-id
 * programs. Sockets and pipes, behind which the user's programs listen, are covered.
 * Folders that hold one of these, and those above, become mounts of their own: they
 * stay where they are. This holds for what exists when the sandbox starts: all of the
 * folder itself, and what lies below it, nearest first. Folders beyond the limits are
 * not looked into: they are read-only as they are, with all that is in them, and the
 * failure's notice says so. So nothing is pushed out of the protection by what a cell
 * has put beside it; only sockets and pipes there stay uncovered.
 */
#pragma once

#include "sandbox/isolate/failure.h"

enum {
    PROTECT_FOLDERS = 2048,  /* looked into; fewer where so many cannot be open */
    PROTECT_ENTRIES = 65536, /* looked at below the folder itself */
    PROTECT_MOUNTS = 4096,   /* made on what is protected */
};

/* `mount` is attached; `scratch` has an "empty-file" to cover sockets with. Nothing is
 * made read-only in what is_writable says is so already. */
int protect(int mount, bool is_writable, int scratch,
            struct isolate_failure *failure) MUST_CHECK;
