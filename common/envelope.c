#include "common/envelope.h"

#include "common/limits.h"

static int
read_size(json_t *value, size_t max, size_t *out)
{
    if (!value) {
        *out = 0;
        return 0;
    }
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > max)
        return -1;
    *out = (size_t)json_integer_value(value);
    return 0;
}

static const char *
read_text(json_t *line, const char *name)
{
    json_t *value = json_object_get(line, name);

    return json_is_string(value) ? json_string_value(value) : "";
}

static int
parse_line(struct slice text, struct envelope *e, struct error *err)
{
    json_error_t at;

    e->line = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, &at);
    if (!json_is_object(e->line))
        return error_set(err, ERR_BAD_INPUT, "envelope line is not a JSON object");
    e->type = read_text(e->line, "type");
    e->parent = read_text(e->line, "parent");
    e->id = read_text(e->line, "id");
    e->seq = json_integer_value(json_object_get(e->line, "seq"));
    if (!*e->type || strlen(e->type) > LIMIT_REQUEST_ID)
        return error_set(err, ERR_BAD_INPUT, "envelope without a type");
    if (strlen(e->parent) > LIMIT_REQUEST_ID || strlen(e->id) > LIMIT_REQUEST_ID)
        return error_set(err, ERR_BAD_INPUT, "envelope id over %d bytes",
                         LIMIT_REQUEST_ID);
    return 0;
}

/* Lengths only: the slices get their places once the bytes are there. */
static int
parse_lengths(struct envelope *e, size_t *body, struct error *err)
{
    json_t *list = json_object_get(e->line, "buffers");
    size_t count = json_array_size(list);

    if (read_size(json_object_get(e->line, "bytes"), LIMIT_ENVELOPE_BYTES,
                  &e->content.len) < 0 ||
        read_size(json_object_get(e->line, "metadata"), LIMIT_ENVELOPE_METADATA,
                  &e->metadata.len) < 0 ||
        (list && !json_is_array(list)) || count > LIMIT_ENVELOPE_BUFFERS)
        return error_set(err, ERR_BAD_INPUT, "envelope length out of bounds");
    *body = e->content.len + e->metadata.len;
    e->buffers = count ? xcalloc(count, sizeof(*e->buffers)) : NULL;
    e->buffer_count = count;
    for (size_t i = 0; i < count; i++) {
        json_t *size = json_array_get(list, i);
        if (read_size(size, LIMIT_ENVELOPE_BYTES, &e->buffers[i].len) < 0)
            return error_set(err, ERR_BAD_INPUT, "envelope buffer out of bounds");
        *body += e->buffers[i].len;
    }
    if (*body > LIMIT_ENVELOPE_BYTES)
        return error_set(err, ERR_TOO_LARGE, "envelope of %zu bytes, limit %d", *body,
                         LIMIT_ENVELOPE_BYTES);
    return 0;
}

static void
place(struct slice *section, const char **at)
{
    section->data = *at;
    *at += section->len;
}

static void
place_sections(struct envelope *e, const char *at)
{
    place(&e->content, &at);
    place(&e->metadata, &at);
    for (size_t i = 0; i < e->buffer_count; i++)
        place(&e->buffers[i], &at);
}

int
envelope_peek(struct slice bytes, struct envelope *out, size_t *total,
              struct error *err)
{
    AUTO(envelope) struct envelope e = ENVELOPE_INIT;
    size_t window = bytes.len < LIMIT_ENVELOPE_LINE ? bytes.len : LIMIT_ENVELOPE_LINE;
    const char *newline = window ? memchr(bytes.data, '\n', window) : NULL;
    size_t body;

    if (!newline && window == LIMIT_ENVELOPE_LINE)
        return error_set(err, ERR_TOO_LARGE, "envelope line over %d bytes",
                         LIMIT_ENVELOPE_LINE);
    if (!newline)
        return 0;
    size_t line_len = (size_t)(newline - bytes.data) + 1;
    if (parse_line((struct slice){bytes.data, line_len - 1}, &e, err) < 0 ||
        parse_lengths(&e, &body, err) < 0)
        return -1;
    *total = line_len + body + 1;
    e.content.data = newline + 1;
    *out = e;
    e = (struct envelope)ENVELOPE_INIT;
    return 1;
}

ssize_t
envelope_parse(struct slice bytes, struct envelope *out, size_t *needed,
               struct error *err)
{
    AUTO(envelope) struct envelope e = ENVELOPE_INIT;
    size_t unused;
    size_t *need = needed ? needed : &unused;

    *need = bytes.len + 1;
    const int found = envelope_peek(bytes, &e, need, err);
    if (found <= 0)
        return found;
    if (bytes.len < *need)
        return 0;
    if (bytes.data[*need - 1] != '\n')
        return error_set(err, ERR_BAD_INPUT, "envelope does not end where it says");
    place_sections(&e, e.content.data);
    *out = e;
    e = (struct envelope)ENVELOPE_INIT;
    return (ssize_t)*need;
}

void
envelope_release(struct envelope *envelope)
{
    json_decref(envelope->line);
    free(envelope->buffers);
    *envelope = (struct envelope)ENVELOPE_INIT;
}

static json_t *
line_with_lengths(const json_t *line, size_t content, size_t metadata,
                  const struct slice *buffers, size_t buffer_count)
{
    json_t *full = json_copy((json_t *)line);

    json_object_set_new(full, "bytes", json_integer((json_int_t)content));
    if (metadata)
        json_object_set_new(full, "metadata", json_integer((json_int_t)metadata));
    if (buffer_count) {
        json_t *list = json_array();
        for (size_t i = 0; i < buffer_count; i++)
            json_array_append_new(list, json_integer((json_int_t)buffers[i].len));
        json_object_set_new(full, "buffers", list);
    }
    return full;
}

int
envelope_append(struct buffer *out, const json_t *line, struct slice content,
                struct slice metadata, const struct slice *buffers, size_t buffer_count,
                struct error *err)
{
    json_auto_t *full =
        line_with_lengths(line, content.len, metadata.len, buffers, buffer_count);
    AUTO(mem) char *text = json_dumps(full, JSON_COMPACT);
    const size_t before = out->len;

    if (!text || strlen(text) >= LIMIT_ENVELOPE_LINE)
        return error_set(err, ERR_TOO_LARGE, "envelope line over %d bytes",
                         LIMIT_ENVELOPE_LINE);
    bool ok = buffer_append_text(out, text) == 0 && buffer_append(out, "\n", 1) == 0 &&
              buffer_append(out, content.data, content.len) == 0 &&
              buffer_append(out, metadata.data, metadata.len) == 0;
    for (size_t i = 0; ok && i < buffer_count; i++)
        ok = buffer_append(out, buffers[i].data, buffers[i].len) == 0;
    if (!ok || buffer_append(out, "\n", 1) < 0) {
        out->len = before;
        return error_set(err, ERR_TOO_LARGE, "envelope over %zu bytes", out->max);
    }
    return 0;
}
