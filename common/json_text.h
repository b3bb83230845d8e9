/*
 * json_text: small JSON messages, written in one way.
 *
 * json_pack makes the value (json_text_string what in it comes from outside) and
 * json_text_append writes it. Only two write by hand, with buffer_append_json_string:
 * what is written for every output of a cell (streams, displays, the event log), and
 * what copies JSON that is there as text already.
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"

/* A string of any bytes: those that are not UTF-8 become U+FFFD. json_pack refuses
 * them; its format for this is `o`, which takes it. */
json_t *json_text_string(struct slice text);

/* In its compact form; takes value. NULL aborts: json_pack failed, so the program is
 * wrong. */
void json_text_append(struct buffer *out, json_t *value);
