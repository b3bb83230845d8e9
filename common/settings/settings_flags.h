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
 * Is argv[0] such a flag? Then its value goes into `sandbox` (an object of the
 * section's shape), *used says how many words it took, and 1 is returned; 0: it is none
 * of these.
 */
int settings_flags_take(char *const *argv, json_t *sandbox, int *used,
                        struct error *err) MUST_CHECK;

/* Lines for --help. */
extern const char settings_flags_help[];

/* What `over` names replaces what `into` has; resources and network member by member.
 */
void settings_flags_override(json_t *into, const json_t *over);
