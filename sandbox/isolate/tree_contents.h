/*
 * tree_contents: what a sandbox sees of files, as lists; tree.c puts it there.
 *
 * Each list ends with NULL.
 */
#pragma once

#include <stdbool.h>

struct tree_text {
    const char *path, *text;
};

struct tree_link {
    const char *path, *target;
};

struct tree_system_path {
    const char *path; /* read-only; left out where this host has none */
    bool keeps_link;  /* a symbolic link stays one */
};

extern const char *const tree_folders[];         /* made, in this order */
extern const struct tree_text tree_texts[];      /* files of ours */
extern const struct tree_link tree_links[];      /* likewise */
extern const char *const tree_scratch_folders[]; /* where a sandbox may always write */
extern const struct tree_system_path tree_system_paths[];
extern const char *const tree_devices[];
extern const char *const tree_masked[]; /* of /proc: empty */
