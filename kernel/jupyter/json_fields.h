/*
 * json_fields: the fields of a JSON object, found without building a tree.
 *
 * For content that is relayed as it is and looked into only here and there. The text
 * must have passed json_check_object; keys and values are slices of it, keys without
 * their quotes and with their escapes. Pure functions.
 */
#pragma once

#include "common/base.h"

struct json_fields {
    const char *at, *end;
};

struct json_fields json_fields_of(struct slice object);
bool json_fields_next(struct json_fields *fields, struct slice *key,
                      struct slice *value);

/* Does this key, escapes decoded, spell that name? */
bool json_key_is(struct slice key, const char *name);

/* The last field of that name, which is the one that readers take; else empty. */
struct slice json_field(struct slice object, const char *name);

enum json_kind {
    JSON_KIND_NONE, /* no such field */
    JSON_KIND_OBJECT,
    JSON_KIND_ARRAY,
    JSON_KIND_STRING,
    JSON_KIND_NUMBER,
    JSON_KIND_BOOLEAN,
    JSON_KIND_NULL,
};

enum json_kind json_kind_of(struct slice value);
bool json_field_is_true(struct slice object, const char *name, bool missing);

/* A string's text; NULL if it is none, or holds what a C string cannot. */
char *json_field_text(struct slice object, const char *name);
