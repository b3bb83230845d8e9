#include "common/json_text.h"

#include "common/utf8.h"

json_t *
json_text_string(struct slice text)
{
    AUTO(buffer) struct buffer clean = BUFFER_INIT(SIZE_MAX);
    size_t used = 0;

    if (utf8_is_valid(text))
        return json_stringn(text.data ? text.data : "", text.len);
    while (used < text.len) {
        size_t len = utf8_sequence(text.data + used, text.len - used);
        if (len)
            buffer_append(&clean, text.data + used, len);
        else
            buffer_append_text(&clean, UTF8_REPLACEMENT);
        used += len ? len : 1;
    }
    return json_stringn(clean.data, clean.len);
}

void
json_text_append(struct buffer *out, json_t *value)
{
    AUTO(mem) char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

    if (!text)
        abort();
    buffer_append_text(out, text);
    json_decref(value);
}
