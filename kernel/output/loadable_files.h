/*
 * loadable_files: files of a folder that Python or Jupyter would load, and that were
 * made or changed since a moment.
 *
 * Modules, bytecode, extensions, .pth, configuration, pickles: by name. Notebooks are
 * not among them: one that is there is read-only for cells, and Jupyter itself shows
 * what it has not signed without its scripts. When
 * is the inode's own time (ctime), which no program in a sandbox can set back. Bounded:
 * where there is too much to look at, the whole folder is named, ".".
 */
#pragma once

#include <jansson.h>
#include <time.h>

#include "common/base.h"

/* An array of paths below the folder; a new reference. */
json_t *loadable_files_since(const char *folder, time_t since);

bool loadable_files_is_one(const char *name);
