#include "kernel/output/content_check.h"

#include "kernel/jupyter/json_scan.h"

/* A reply that tells of an error has not the fields of its kind. */
static bool
is_error_reply(const struct message_type *type, struct slice content)
{
    return type->kind == MESSAGE_IS_REPLY &&
           slice_equals(json_scan_field(content, "status"), SLICE("\"error\""));
}

bool
content_check_field(struct slice value, enum message_field_kind kind)
{
    enum json_kind found = json_scan_kind(value);

    switch (kind) {
    case HOLDS_TEXT:
        return found == JSON_KIND_STRING;
    case HOLDS_NUMBER:
        return found == JSON_KIND_NUMBER;
    case HOLDS_BOOLEAN:
        return found == JSON_KIND_BOOLEAN;
    case HOLDS_ARRAY:
        return found == JSON_KIND_ARRAY;
    case HOLDS_OBJECT:
    case HOLDS_BUNDLE:
        return found == JSON_KIND_OBJECT;
    }
    return false;
}

static bool
is_mime_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_-+.", c));
}

static bool
is_mime_type(struct slice key)
{
    const char *slash = memchr(key.data, '/', key.len);

    if (!slash || slash == key.data || slash == key.data + key.len - 1)
        return false;
    for (size_t i = 0; i < key.len; i++)
        if (key.data + i != slash && !is_mime_char(key.data[i]))
            return false;
    return true;
}

static bool
holds_json(struct slice mime)
{
    return mime.len >= 4 && memcmp(mime.data + mime.len - 4, "json", 4) == 0;
}

/* Only a type of JSON has anything but text as its value. */
static int
check_bundle(struct slice data, struct error *err)
{
    struct json_scan fields = json_scan_fields(data);
    struct slice key, value;

    while (json_scan_next(&fields, &key, &value)) {
        if (!is_mime_type(key))
            return error_set(err, ERR_BAD_INPUT, "`%.*s' is not a MIME type",
                             (int)(key.len < 60 ? key.len : 60), key.data);
        if (!holds_json(key) && json_scan_kind(value) != JSON_KIND_STRING)
            return error_set(err, ERR_BAD_INPUT, "%.*s must be text",
                             (int)(key.len < 60 ? key.len : 60), key.data);
    }
    return 0;
}

int
content_check(const struct message_type *type, struct slice content, struct error *err)
{
    if (json_scan_check_values(content, LIMIT_OUTPUT_VALUES, err) < 0)
        return -1;
    if (is_error_reply(type, content))
        return 0;
    for (const struct message_field *field = type->fields; field->name; field++) {
        struct slice value = json_scan_field(content, field->name);
        if (!content_check_field(value, field->kind))
            return error_set(err, ERR_BAD_INPUT, "%s without a valid `%s'", type->type,
                             field->name);
        if (field->kind == HOLDS_BUNDLE && check_bundle(value, err) < 0)
            return -1;
    }
    return 0;
}
