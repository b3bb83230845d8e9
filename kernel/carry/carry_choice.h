/*
 * carry_choice: whether the notebook's folder travels to a sandbox elsewhere, and how
 * much of it.
 *
 *     carry          CELLPOD_CARRY   "both", "send" and nothing back, "none" ("both")
 *     carry_mb       in all (256)
 *     carry_file_mb  of one file (64)
 *     carry_files    how many (2000)
 *
 * Flags override the environment, which overrides the configuration file.
 */
#pragma once

#include <jansson.h>

#include "kernel/carry/carry_scan.h"

struct carry_choice {
    char *folder;  /* NULL: nothing travels */
    bool is_flat;  /* the folder is a home: what lies directly in it, and no folders */
    bool is_back;  /* what cells write comes back */
    char *session; /* the notebook's own file, which stays; or NULL */
    char *notice;  /* for the user, why nothing travels; or NULL */
    struct carry_bounds bounds;
};

/* For the working directory. flags: the shape of the section "sandbox". What is wrong
 * in the configuration is told by who makes the claim. */
void carry_choice_make(const json_t *flags, struct carry_choice *out);
void carry_choice_release(struct carry_choice *choice);
