/*
 * cp_pod: one file to or from the working folder of a sandbox that is elsewhere, or the
 * list of what is there.
 *
 * What comes is a stranger's: it is bounded, whole or not there, and never put through
 * a link.
 */
#pragma once

#include "cli/reached.h"

int cp_pod_list(const struct reached *reached, const char *below,
                struct error *err) MUST_CHECK;
/* It becomes `name` in the folder `into`. */
int cp_pod_get(const struct reached *reached, const char *path, int into,
               const char *name, bool overwrites, struct error *err) MUST_CHECK;
/* An empty path, or one that ends in a slash: under the file's own name there. */
int cp_pod_put(const struct reached *reached, const char *file, const char *path,
               bool overwrites, struct error *err) MUST_CHECK;
