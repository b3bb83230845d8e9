/*
 * workspace_choice: which folder the cells work in. It is the notebook's own, unless
 * that is a folder that no program should get as a whole: a home, `/tmp`, a system
 * folder. Then it is a folder of cellpod's below the state folder (common/paths.h),
 * where files stay: the same one for all notebooks of that folder, each time they run.
 */
#pragma once

#include "common/error.h"

/* Why cells do not get this folder; NULL if they do. Paths must be real ones. */
const char *workspace_choice_refuses(const char *folder, const char *home);

/* The choice for the working directory. NULL: a private folder, since a kept one could
 * not be made. *notice is for the user, or NULL. The caller frees both. */
char *workspace_choice_make(char **notice);

/* The folder in which files of such a folder's cells are kept, whether it is there yet
 * or not. NULL: an error. The caller frees it. */
char *workspace_choice_kept(const char *folder, struct error *err) MUST_CHECK;

/* The user's home folder, a real path; NULL: none. The caller frees it. */
char *workspace_choice_home(void);
