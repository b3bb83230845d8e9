/*
 * settings: the configuration file, ~/.config/cellpod/config.json, and its section
 * "sandbox": what sandboxes may use (docs/configuration.md).
 *
 *     {"ask": {…}, "sandbox": {"resources": {"memory_mb": 2048}, …}}
 *
 * Every member is a row of a table with its type and bounds; an unknown member is an
 * error that names the nearest known one. The same rows check a claim
 * (sandbox/life/claim.c), and become flags of the command line
 * (common/settings/settings_flags.h). The section "ask" is checked by its owner,
 * bridge/config/config.c.
 */
#pragma once

#include "common/fields.h"
#include "common/limits.h"

/* The sections of "sandbox", and of what is in it. */
extern const struct field settings_sandbox[];
extern const struct field settings_resources[];
extern const struct field settings_network[];
extern const struct field settings_mount; /* {"source","target","mode"} */
extern const struct field settings_layer; /* the name of one */

/* What members of claims have in common with these: the rest of a row. */
#define SETTINGS_PATH \
    .must = "an absolute path without . and ..", .is_valid = settings_is_path
#define SETTINGS_MODE .must = "\"rw\" or \"ro\"", .is_valid = settings_is_mode
#define SETTINGS_RUNTIME \
    .must = "\"namespaces\" or \"runsc\"", .is_valid = settings_is_runtime
#define SETTINGS_SECONDS .least = 1, .most = 366 * 24 * 3600
#define SETTINGS_MOUNTS  .most = LIMIT_CLAIM_LIST, .of = &settings_mount
#define SETTINGS_WAIVE   .most = LIMIT_CLAIM_LIST, .of = &settings_layer

bool settings_is_path(const json_t *text);
bool settings_is_mode(const json_t *text);
bool settings_is_runtime(const json_t *text);
bool settings_is_html(const json_t *text);
bool settings_is_carry(const json_t *text);
bool settings_is_variable(const char *name); /* of the environment */

/*
 * A section of the file, unchecked: an object, empty if the file or the section does
 * not exist. A file that is too large, not valid JSON, or has an unknown section is an
 * error, which does not name the file. path NULL: the default one.
 */
json_t *settings_load(const char *path, const char *section,
                      struct error *err) MUST_CHECK;
json_t *settings_parse(struct slice text, const char *section,
                       struct error *err) MUST_CHECK;

/* The section "sandbox", checked; errors name the file. */
json_t *settings_load_sandbox(const char *path, struct error *err) MUST_CHECK;

/* Where the file is; owned by the caller. */
char *settings_path(const char *path);
