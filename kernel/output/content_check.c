#include "kernel/output/content_check.h"

#include "kernel/jupyter/json_check.h"
#include "kernel/jupyter/json_fields.h"

static const struct {
    const char *type, *field;
    enum json_kind kind;
} needed[] = {
    {"stream",              "name",            JSON_KIND_STRING },
    {"stream",              "text",            JSON_KIND_STRING },
    {"display_data",        "data",            JSON_KIND_OBJECT },
    {"display_data",        "metadata",        JSON_KIND_OBJECT },
    {"display_data",        "transient",       JSON_KIND_OBJECT },
    {"update_display_data", "data",            JSON_KIND_OBJECT },
    {"update_display_data", "metadata",        JSON_KIND_OBJECT },
    {"update_display_data", "transient",       JSON_KIND_OBJECT },
    {"execute_input",       "code",            JSON_KIND_STRING },
    {"execute_input",       "execution_count", JSON_KIND_NUMBER },
    {"execute_result",      "execution_count", JSON_KIND_NUMBER },
    {"execute_result",      "data",            JSON_KIND_OBJECT },
    {"execute_result",      "metadata",        JSON_KIND_OBJECT },
    {"error",               "ename",           JSON_KIND_STRING },
    {"error",               "evalue",          JSON_KIND_STRING },
    {"error",               "traceback",       JSON_KIND_ARRAY  },
    {"clear_output",        "wait",            JSON_KIND_BOOLEAN},
    {"comm_open",           "comm_id",         JSON_KIND_STRING },
    {"comm_open",           "target_name",     JSON_KIND_STRING },
    {"comm_open",           "data",            JSON_KIND_OBJECT },
    {"comm_msg",            "comm_id",         JSON_KIND_STRING },
    {"comm_msg",            "data",            JSON_KIND_OBJECT },
    {"comm_close",          "comm_id",         JSON_KIND_STRING },
    {"input_request",       "prompt",          JSON_KIND_STRING },
    {"input_request",       "password",        JSON_KIND_BOOLEAN},
    {"execute_reply",       "status",          JSON_KIND_STRING },
    {"complete_reply",      "matches",         JSON_KIND_ARRAY  },
    {"complete_reply",      "metadata",        JSON_KIND_OBJECT },
    {"inspect_reply",       "status",          JSON_KIND_STRING },
    {"is_complete_reply",   "status",          JSON_KIND_STRING },
    {"history_reply",       "history",         JSON_KIND_ARRAY  },
    {"comm_info_reply",     "comms",           JSON_KIND_OBJECT },
    {"announce_reply",      "status",          JSON_KIND_STRING },
    {"profile_reply",       "status",          JSON_KIND_STRING },
    {"check_reply",         "status",          JSON_KIND_STRING },
    {"attempt_reply",       "status",          JSON_KIND_STRING },
    {"attempt_end_reply",   "status",          JSON_KIND_STRING },
};

/* A reply that tells of an error has not the fields of its kind. */
static bool
is_error_reply(const char *type, struct slice content)
{
    size_t len = strlen(type);

    return len > 6 && strcmp(type + len - 6, "_reply") == 0 &&
           slice_equals(json_field(content, "status"), SLICE("\"error\""));
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
    struct json_fields fields = json_fields_of(data);
    struct slice key, value;

    while (json_fields_next(&fields, &key, &value)) {
        if (!is_mime_type(key))
            return error_set(err, ERR_BAD_INPUT, "`%.*s' is no MIME type",
                             (int)(key.len < 60 ? key.len : 60), key.data);
        if (!holds_json(key) && json_kind_of(value) != JSON_KIND_STRING)
            return error_set(err, ERR_BAD_INPUT, "%.*s must be text",
                             (int)(key.len < 60 ? key.len : 60), key.data);
    }
    return 0;
}

static bool
holds_bundle(const char *type)
{
    return strcmp(type, "display_data") == 0 || strcmp(type, "execute_result") == 0 ||
           strcmp(type, "update_display_data") == 0;
}

int
content_check(const char *type, struct slice content, struct error *err)
{
    if (json_check_object(content, err) < 0)
        return -1;
    if (is_error_reply(type, content))
        return 0;
    for (size_t i = 0; i < COUNT_OF(needed); i++)
        if (strcmp(type, needed[i].type) == 0 &&
            json_kind_of(json_field(content, needed[i].field)) != needed[i].kind)
            return error_set(err, ERR_BAD_INPUT, "%s without a proper `%s'", type,
                             needed[i].field);
    return holds_bundle(type) ? check_bundle(json_field(content, "data"), err) : 0;
}
