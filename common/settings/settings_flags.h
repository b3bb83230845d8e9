/*
 * settings_flags: members of the section "sandbox" on the command line.
 *
 *     --memory-mb 2048   --network=list --allow pypi.org,files.pythonhosted.org:443
 *
 * Types and bounds are those of common/settings/settings.h. Lists are words with commas
 * between them, and a flag that comes again adds to them.
 */
#pragma once

#include "common/settings/settings.h"

/*
 * If argv[0] is such a flag, stores its value in `sandbox` (an object of the section's
 * shape), sets *used to the number of words that it took, and returns 1. Returns 0 for
 * any other word.
 */
int settings_flags_take(char *const *argv, json_t *sandbox, int *used,
                        struct error *err) MUST_CHECK;

/* Lines for --help. */
extern const char settings_flags_help[];

/* Members of `over` replace those of `into`; resources and network are merged member by
 * member. */
void settings_flags_override(json_t *into, const json_t *over);
