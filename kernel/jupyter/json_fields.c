#include "kernel/jupyter/json_fields.h"

#include <jansson.h>

static const char *
skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

/* From the opening quote to behind the closing one. Each byte is looked at twice at
 * most: much text is full of escapes. */
static const char *
skip_string(const char *at, const char *end)
{
    const char *quote;

    at++;
    while (at < end && (quote = memchr(at, '"', (size_t)(end - at)))) {
        const char *escape;
        while (at < quote && (escape = memchr(at, '\\', (size_t)(quote - at))))
            at = escape + 2;
        if (at <= quote) /* no escape is left that could be for this quote */
            return quote + 1;
    }
    return end;
}

static const char *
skip_container(const char *at, const char *end)
{
    size_t depth = 0;

    while (at < end) {
        char c = *at;
        if (c == '"') {
            at = skip_string(at, end);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        at++;
        if (depth == 0)
            break;
    }
    return at;
}

static const char *
skip_value(const char *at, const char *end)
{
    if (at == end)
        return at;
    if (*at == '"')
        return skip_string(at, end);
    if (*at == '{' || *at == '[')
        return skip_container(at, end);
    while (at < end && !memchr(",}] \n\r\t", *at, 8))
        at++;
    return at;
}

struct json_fields
json_fields_of(struct slice object)
{
    const char *end = object.data + object.len;
    const char *at = skip_space(object.data, end);

    return (struct json_fields){at < end && *at == '{' ? at + 1 : end, end};
}

bool
json_fields_next(struct json_fields *fields, struct slice *key, struct slice *value)
{
    const char *end = fields->end;
    const char *at = skip_space(fields->at, end);

    if (at < end && *at == ',')
        at = skip_space(at + 1, end);
    if (at == end || *at != '"')
        return false;
    const char *behind = skip_string(at, end);
    *key = (struct slice){at + 1, (size_t)(behind - at) - 2};
    at = skip_space(behind, end);
    at = skip_space(at < end ? at + 1 : end, end); /* the colon */
    fields->at = skip_value(at, end);
    *value = (struct slice){at, (size_t)(fields->at - at)};
    return true;
}

static json_t *
load_string(struct slice quoted)
{
    return json_loadb(quoted.data, quoted.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

bool
json_key_is(struct slice key, const char *name)
{
    if (!memchr(key.data, '\\', key.len))
        return slice_equals(key, slice_of(name));
    json_auto_t *decoded = load_string((struct slice){key.data - 1, key.len + 2});
    return decoded && slice_equals((struct slice){json_string_value(decoded),
                                                  json_string_length(decoded)},
                                   slice_of(name));
}

struct slice
json_field(struct slice object, const char *name)
{
    struct json_fields fields = json_fields_of(object);
    struct slice key, value, found = {"", 0};

    while (json_fields_next(&fields, &key, &value))
        if (json_key_is(key, name))
            found = value;
    return found;
}

enum json_kind
json_kind_of(struct slice value)
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
json_field_is_true(struct slice object, const char *name, bool missing)
{
    struct slice value = json_field(object, name);

    return json_kind_of(value) == JSON_KIND_BOOLEAN ? value.data[0] == 't' : missing;
}

char *
json_field_text(struct slice object, const char *name)
{
    struct slice value = json_field(object, name);

    if (json_kind_of(value) != JSON_KIND_STRING)
        return NULL;
    json_auto_t *decoded = load_string(value);
    size_t len = json_string_length(decoded);
    if (!decoded || memchr(json_string_value(decoded), '\0', len))
        return NULL;
    return xstrndup(json_string_value(decoded), len);
}
