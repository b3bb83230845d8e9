/*
 * yaml: one YAML document as JSON values, as far as configuration files need it.
 *
 * Mappings, sequences and scalars. true, false and null without quotes are JSON's; all
 * other scalars are strings, also numbers. Refused: anchors and aliases (a few lines of
 * them can expand to gigabytes), tags, a second document, a repeated key, text that is
 * not UTF-8.
 */
#pragma once

#include <jansson.h>

#include "common/error.h"

/* Errors name the line and never quote the text, which may be a secret. */
int yaml_read(struct slice text, json_t **out, struct error *err) MUST_CHECK;
