/*
 * claim: what to ask of sandboxd for this kernel. Flags override the environment, and
 * the environment overrides the configuration file (common/settings/settings.h).
 *
 *     CELLPOD_PYTHON            whose packages the cells see; else paths_python(), else
 *                               python3 of PATH
 *     CELLPOD_MOUNTS            /data,/models:rw, read-only unless it says rw
 *     CELLPOD_ENV_PASSTHROUGH   names of environment variables passed to cells
 *     CELLPOD_WAIVE             layers of isolation that the user does without
 */
#pragma once

#include <jansson.h>

#include "common/error.h"

/* "/data,/models:rw" or "/data:/models:rw" as the API's `mounts`. */
int claim_parse_mounts(const char *text, json_t **out, struct error *err) MUST_CHECK;

/* Does the user want gVisor (runtime: runsc)? With a broken configuration the answer is
 * no, and claim_make reports the error. */
bool claim_wants_runsc(const json_t *flags);

/* An absolute path. Symbolic links are not resolved, since a virtual environment
 * consists of them. */
char *claim_find_python(struct error *err) MUST_CHECK;

/*
 * The body of POST /v1/sandboxes, without task_id. A sandbox on another machine does
 * not know our paths, so its claim names no folder. `flags` has the shape of the
 * section "sandbox". *notice is for the user, or NULL; the caller frees it.
 */
json_t *claim_make(bool is_local, const json_t *flags, char **notice,
                   struct error *err) MUST_CHECK;
