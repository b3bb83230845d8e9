/*
 * content_check: has this content the fields that clients of its type rely on?
 *
 * JupyterLab throws a message away, or stops, when a field is missing or of the wrong
 * kind; so a sandbox could break its viewer. common/messages.def says what each type
 * needs. Pure.
 */
#pragma once

#include "common/error.h"
#include "common/messages.h"

/* Also that it is a JSON object (kernel/jupyter/json_scan.h) of at most
 * LIMIT_OUTPUT_VALUES. */
int content_check(const struct message_type *type, struct slice content,
                  struct error *err) MUST_CHECK;

/* Is this value, empty if it is missing, one of that kind? */
bool content_check_field(struct slice value, enum message_field_kind kind);
