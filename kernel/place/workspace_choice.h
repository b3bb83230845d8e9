/*
 * workspace_choice: which folder the cells work in. The notebook's own, unless that is
 * one that nobody hands to a program whole: a home, `/tmp`, one of the system's. Then
 * one of ours below the state folder (common/paths.h), where files stay: the same one
 * whenever a notebook of that folder runs.
 */
#pragma once

#include "common/base.h"

/* Why this folder is not handed to the cells; NULL if it is. Paths are real ones. */
const char *workspace_choice_refuses(const char *folder, const char *home);

/* For the working directory. NULL: a private one, since none of ours can be had.
 * *notice is for the user, or NULL. The caller frees both. */
char *workspace_choice_make(char **notice);
