#include "kernel/content/request_content.h"

#include <jansson.h>

#include "common/utf8.h"
#include "kernel/jupyter/json_scan.h"
#include "kernel/output/content_check.h"

static void
clamp_cursor(json_t *fields)
{
    json_t *code = json_object_get(fields, "code");
    json_t *given = json_object_get(fields, "cursor_pos");
    json_int_t len = (json_int_t)utf8_count(
        (struct slice){json_string_value(code), json_string_length(code)});
    json_int_t at = json_is_integer(given) ? json_integer_value(given) : len;

    at = at < 0 ? 0 : at > len ? len : at;
    json_object_set_new(fields, "cursor_pos", json_integer(at));
}

static void
set_default(json_t *fields, const char *name, json_t *value)
{
    json_t *given = json_object_get(fields, name);

    if (given && !json_is_null(given))
        json_decref(value);
    else
        json_object_set_new(fields, name, value);
}

static void
complete_complete(json_t *fields)
{
    clamp_cursor(fields);
}

static void
complete_inspect(json_t *fields)
{
    clamp_cursor(fields);
    set_default(fields, "detail_level", json_integer(0));
}

/* `stop` and `n` may be null: no end. */
static void
complete_history(json_t *fields)
{
    set_default(fields, "output", json_false());
    set_default(fields, "raw", json_true());
    set_default(fields, "hist_access_type", json_string("tail"));
    set_default(fields, "session", json_integer(0));
    set_default(fields, "start", json_integer(0));
    set_default(fields, "stop", json_null());
    set_default(fields, "n", json_null());
    set_default(fields, "pattern", json_string("*"));
    set_default(fields, "unique", json_false());
}

typedef void complete_fn(json_t *fields);

/* NULL: it goes as it is. */
static complete_fn *
completion_of(enum message_id id)
{
    switch (id) {
    case MESSAGE_COMPLETE_REQUEST:
        return complete_complete;
    case MESSAGE_INSPECT_REQUEST:
        return complete_inspect;
    case MESSAGE_HISTORY_REQUEST:
        return complete_history;
    case MESSAGE_EXECUTE_REQUEST:
    case MESSAGE_IS_COMPLETE_REQUEST:
    case MESSAGE_COMM_INFO_REQUEST:
    case MESSAGE_COMMAND_REQUEST:
    case MESSAGE_SUBSHELL_REQUEST:
    case MESSAGE_NONE:
#define KIND_REQUEST(ID) /* above */
#define OTHERS(ID)       case MESSAGE_##ID:
#include "common/messages.def"
        break;
    }
    return NULL;
}

static int
rebuild(struct slice content, complete_fn *complete, struct buffer *out,
        struct error *err)
{
    json_auto_t *fields = json_loadb(content.data, content.len, JSON_ALLOW_NUL, NULL);

    if (!fields)
        return error_set(err, ERR_BAD_INPUT, "a number in it is too large");
    complete(fields);
    AUTO(mem) char *text = json_dumps(fields, JSON_COMPACT);
    return buffer_append_text(out, text) < 0
               ? error_set(err, ERR_TOO_LARGE, "request over %zu bytes", out->max)
               : 0;
}

int
request_content_prepare(const struct message_type *type, struct slice content,
                        struct buffer *out, struct error *err)
{
    complete_fn *complete = completion_of(type->id);

    if (type->kind != MESSAGE_IS_REQUEST)
        return 0;
    for (const struct message_field *field = type->fields; field->name; field++)
        if (!content_check_field(json_scan_field(content, field->name), field->kind))
            return error_set(err, ERR_BAD_INPUT, "%s without `%s'", type->type,
                             field->name);
    return complete ? rebuild(content, complete, out, err) : 0;
}
