#include "kernel/output/own_metadata.h"

#include "kernel/jupyter/json_fields.h"

static void
append_field(struct buffer *out, struct slice key, struct slice value)
{
    if (out->data[out->len - 1] != '{')
        buffer_append_text(out, ",");
    buffer_append_text(out, "\"");
    buffer_append(out, key.data, key.len);
    buffer_append_text(out, "\":");
    buffer_append(out, value.data, value.len);
}

bool
own_metadata_strip_bare(struct slice metadata, struct buffer *out)
{
    struct json_fields fields = json_fields_of(metadata);
    struct slice key, value;

    if (json_field(metadata, "cellpod").len == 0)
        return false;
    buffer_append_text(out, "{");
    while (json_fields_next(&fields, &key, &value))
        if (!json_key_is(key, "cellpod"))
            append_field(out, key, value);
    buffer_append_text(out, "}");
    return true;
}

/* The last field of a name is what readers take, but not all readers: each is looked
 * at. */
static bool
has_own(struct slice content)
{
    struct json_fields fields = json_fields_of(content);
    struct slice key, value;

    while (json_fields_next(&fields, &key, &value))
        if (json_key_is(key, "metadata") && json_field(value, "cellpod").len)
            return true;
    return false;
}

bool
own_metadata_strip(struct slice content, struct buffer *out)
{
    struct json_fields fields = json_fields_of(content);
    struct slice key, value;

    if (!has_own(content))
        return false;
    buffer_append_text(out, "{");
    while (json_fields_next(&fields, &key, &value)) {
        AUTO(buffer) struct buffer rest = BUFFER_INIT(SIZE_MAX);
        bool is_stripped =
            json_key_is(key, "metadata") && own_metadata_strip_bare(value, &rest);
        append_field(out, key, is_stripped ? buffer_slice(&rest) : value);
    }
    buffer_append_text(out, "}");
    return true;
}
