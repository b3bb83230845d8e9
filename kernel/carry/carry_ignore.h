/*
 * carry_ignore: `.cellpodignore` in the notebook's folder, which says what of it stays
 * here.
 *
 * A line is a pattern of fnmatch(3). Without a slash it is for names anywhere; with
 * one, for the path below the folder; with one at its end, for folders. Empty lines and
 * those that begin with `#` are skipped. Bounded: of a file over 64 KiB, of more than
 * 1,000 patterns or of a line over 256 bytes the rest is not read.
 */
#pragma once

#include "common/error.h"

#define CARRY_IGNORE_NAME ".cellpodignore"

struct carry_ignore;

/* NULL: there is nothing to ignore. */
struct carry_ignore *carry_ignore_parse(struct slice text);
/* Of the folder's own file; a link is not followed. */
struct carry_ignore *carry_ignore_read(int root);
void carry_ignore_free(struct carry_ignore *ignore);

bool carry_ignore_has(const struct carry_ignore *ignore, const char *path,
                      bool is_folder);
