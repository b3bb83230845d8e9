/* What stands in the fields that json_scan.c finds. */
#include <jansson.h>

#include "kernel/jupyter/json_scan.h"

static json_t *
load_string(struct slice quoted)
{
    return json_loadb(quoted.data, quoted.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

bool
json_scan_key_is(struct slice key, const char *name)
{
    if (!memchr(key.data, '\\', key.len))
        return slice_equals(key, slice_of(name));
    json_auto_t *decoded = load_string((struct slice){key.data - 1, key.len + 2});
    return decoded && slice_equals((struct slice){json_string_value(decoded),
                                                  json_string_length(decoded)},
                                   slice_of(name));
}

struct slice
json_scan_field(struct slice object, const char *name)
{
    struct json_scan fields = json_scan_fields(object);
    struct slice key, value, found = {"", 0};

    while (json_scan_next(&fields, &key, &value))
        if (json_scan_key_is(key, name))
            found = value;
    return found;
}

enum json_kind
json_scan_kind(struct slice value)
{
    if (value.len == 0)
        return JSON_KIND_NONE;
    switch (value.data[0]) {
    case '{':
        return JSON_KIND_OBJECT;
    case '[':
        return JSON_KIND_ARRAY;
    case '"':
        return JSON_KIND_STRING;
    case 't':
    case 'f':
        return JSON_KIND_BOOLEAN;
    case 'n':
        return JSON_KIND_NULL;
    default:
        return JSON_KIND_NUMBER;
    }
}

bool
json_scan_is_true(struct slice object, const char *name, bool missing)
{
    struct slice value = json_scan_field(object, name);

    return json_scan_kind(value) == JSON_KIND_BOOLEAN ? value.data[0] == 't' : missing;
}

char *
json_scan_text(struct slice object, const char *name)
{
    struct slice value = json_scan_field(object, name);

    if (json_scan_kind(value) != JSON_KIND_STRING)
        return NULL;
    json_auto_t *decoded = load_string(value);
    size_t len = json_string_length(decoded);
    if (!decoded || memchr(json_string_value(decoded), '\0', len))
        return NULL;
    return xstrndup(json_string_value(decoded), len);
}
