/*
 * json_scan: reads JSON text token by token, without a tree, since most content is only
 * relayed, and few of its fields are read.
 *
 * One tokenizer both checks a text and finds fields in it: RFC 8259 in well-formed
 * UTF-8, no lone surrogate escapes, at most LIMIT_JSON_DEPTH deep and LIMIT_JSON_BYTES
 * long. Numbers may be of any size. NaN and Infinity are not JSON.
 *
 * The functions for fields expect text that has passed json_scan_check: its strings are
 * not checked again. Slices that they return are parts of the text: keys without quotes
 * and with their escapes, values as written. Pure functions.
 */
#pragma once

#include "common/error.h"
#include "common/limits.h"

/* Is the text exactly one JSON object that any client can read? */
int json_scan_check(struct slice text, struct error *err) MUST_CHECK;
/* And has it no more values than that, each container one and what is in it? */
int json_scan_check_values(struct slice text, size_t max_values,
                           struct error *err) MUST_CHECK;

enum json_kind {
    JSON_KIND_NONE, /* no such field */
    JSON_KIND_OBJECT,
    JSON_KIND_ARRAY,
    JSON_KIND_STRING,
    JSON_KIND_NUMBER,
    JSON_KIND_BOOLEAN,
    JSON_KIND_NULL,
};

enum json_kind json_scan_kind(struct slice value);

/* Where in a text, and inside of what: in_object has a bit for each open container. */
struct json_scan {
    const char *at, *end;
    size_t depth;
    int wants;       /* enum wants of json_scan.c */
    bool is_checked; /* before, by json_scan_check */
    uint64_t in_object[LIMIT_JSON_DEPTH / 64];
};

/* The fields of an object, in their order; of anything else there are none. */
struct json_scan json_scan_fields(struct slice object);
bool json_scan_next(struct json_scan *fields, struct slice *key, struct slice *value);

/* Does this key, escapes decoded, spell that name? */
bool json_scan_key_is(struct slice key, const char *name);

/* The last field of that name, since readers use the last one; empty if there is
 * none. */
struct slice json_scan_field(struct slice object, const char *name);

/* A boolean field; `missing` if it is absent or not a boolean. */
bool json_scan_is_true(struct slice object, const char *name, bool missing);

/* A string field's text, owned by the caller; NULL if it is not a string, or holds what
 * a C string cannot. */
char *json_scan_text(struct slice object, const char *name);
