/*
 * json_check: is this text one JSON object that any client can read?
 *
 * Syntax of RFC 8259 in well-formed UTF-8, no lone surrogate escapes, bounded depth; no
 * tree is built, because most content is only relayed. Numbers may be of any size. NaN
 * and Infinity are no JSON. Pure function.
 */
#pragma once

#include "common/error.h"

int json_check_object(struct slice text, struct error *err) MUST_CHECK;
