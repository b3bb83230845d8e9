#include "kernel/content/failure.h"

static void
append_pair(struct buffer *out, const char *name, const char *text)
{
    buffer_printf(out, "\"%s\":", name);
    buffer_append_json_string(out, slice_of(text));
    buffer_append_text(out, ",");
}

static void
append_traceback(struct buffer *out, const struct failure *failure)
{
    AUTO(mem) char *line = xasprintf("%s: %s", failure->ename, failure->message);
    json_t *above;
    size_t i;

    buffer_append_text(out, "[");
    json_array_foreach (failure->above, i, above) {
        const char *text = json_string_value(above);
        buffer_append_json_string(out, slice_of(text ? text : ""));
        buffer_append_text(out, ",");
    }
    buffer_append_json_string(out, slice_of(line));
    if (*failure->remedy) {
        buffer_append_text(out, ",");
        buffer_append_json_string(out, slice_of(failure->remedy));
    }
    buffer_append_text(out, "]");
}

void
failure_append(struct buffer *out, const struct failure *failure)
{
    append_pair(out, "ename", failure->ename);
    append_pair(out, "evalue", failure->message);
    buffer_append_text(out, "\"traceback\":");
    append_traceback(out, failure);
}
