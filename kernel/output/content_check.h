/*
 * content_check: has this content the fields that clients of its type rely on?
 *
 * JupyterLab throws a message away, or stops, when a field is missing or of the wrong
 * kind; so a sandbox could break its viewer. One table says what each type needs. Pure.
 */
#pragma once

#include "common/error.h"

/* Also that it is a JSON object (common/json_check). Types that the table does not know
 * need only that. */
int content_check(const char *type, struct slice content, struct error *err) MUST_CHECK;
