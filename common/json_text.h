/*
 * json_text: small JSON messages, written in one way.
 *
 * json_pack makes the value (json_text_string the strings in it that come from
 * outside), and json_text_append writes it. JSON is written by hand, with
 * buffer_append_json_string, only in two cases: for every output of a cell (streams,
 * displays, the event log), and where existing JSON text is copied.
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"

/* A string from any bytes: those that are not UTF-8 become U+FFFD. json_pack alone
 * would refuse them; pass the result to it as `o`, which takes ownership. */
json_t *json_text_string(struct slice text);

/* In compact form; takes ownership of value. Aborts if value is NULL: then json_pack
 * failed, which is a bug of the program. */
void json_text_append(struct buffer *out, json_t *value);
