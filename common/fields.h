/*
 * fields: tables of what an object that comes from outside may hold.
 *
 *     FIELD("pids", WHOLE, .least = 16, .most = 4096),
 *
 * One check for claims and for the configuration file: every member must be known, of
 * the right type and within its bounds. The error names the member, and for an unknown
 * one the nearest known name. null always means "not given". Pure functions.
 */
#pragma once

#include <jansson.h>

#include "common/error.h"

enum field_type {
    FIELD_TEXT,   /* least to most: its bytes */
    FIELD_WHOLE,  /* a whole number, from least to most */
    FIELD_NUMBER, /* any number, from least to most */
    FIELD_FLAG,
    FIELD_OBJECT, /* `of`: its members; NULL: any, most: how many */
    FIELD_LIST,   /* `of`: one row that describes each item; least to most: how many */
};

struct field {
    const char *name; /* NULL: the end of the table */
    enum field_type type;
    double least, most;
    const struct field *of;
    const char *must; /* in words, after "must be"; NULL: made from the row */
    bool (*is_valid)(const json_t *value); /* beyond all that; or NULL */
    bool required;
};

/* A row, and the row at the end of each table. */
#define FIELD(key, kind, ...)                            \
    {                                                    \
        .name = (key), .type = FIELD_##kind, __VA_ARGS__ \
    }
#define FIELDS_END   \
    {                \
        .name = NULL \
    }

/* `where` is the object's own name ("sandbox"), or "" for the top of a message. */
int fields_check(const char *where, const json_t *object, const struct field *fields,
                 struct error *err) MUST_CHECK;

/* One value, under the name by which the user knows it ("--pids"). */
int fields_check_value(const char *name, const struct field *field, const json_t *value,
                       struct error *err) MUST_CHECK;

const struct field *fields_find(const struct field *fields, const char *name);
