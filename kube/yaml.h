/*
 * yaml: one YAML document as JSON values, as far as configuration files need it.
 *
 * Mappings, sequences and scalars. A scalar without quotes that is true, false or null
 * is that; all others are strings, numbers too. Refused: anchors and aliases (a few
 * lines of which can stand for gigabytes), tags, a second document, a key that comes
 * twice, text that is not UTF-8.
 */
#pragma once

#include <jansson.h>

#include "common/error.h"

/* Errors name the line and never quote the text, which may be a secret. */
int yaml_read(struct slice text, json_t **out, struct error *err) MUST_CHECK;
