#include "kernel/jupyter/wire.h"

#include "common/limits.h"
#include "kernel/jupyter/json_scan.h"

static const char *const part_names[] = {
    [WIRE_HEADER] = "header",
    [WIRE_PARENT] = "parent_header",
    [WIRE_METADATA] = "metadata",
    [WIRE_CONTENT] = "content",
};

static int
find_delimiter(const struct slice *frames, size_t count, size_t *at, struct error *err)
{
    for (size_t i = 0; i < count; i++)
        if (slice_equals(frames[i], WIRE_DELIMITER)) {
            *at = i;
            return 0;
        }
    return error_set(err, ERR_BAD_INPUT, "no <IDS|MSG> among %zu frames", count);
}

static int
split(const struct slice *frames, size_t count, struct wire_message *message,
      struct error *err)
{
    size_t at;

    if (count > LIMIT_WIRE_FRAMES)
        return error_set(err, ERR_TOO_LARGE, "%zu frames, limit %d", count,
                         LIMIT_WIRE_FRAMES);
    if (find_delimiter(frames, count, &at, err) < 0)
        return -1;
    if (count - at < 2 + WIRE_PARTS)
        return error_set(err, ERR_BAD_INPUT, "%zu frames after <IDS|MSG>, wanted %d",
                         count - at - 1, 1 + WIRE_PARTS);
    message->ident_count = at;
    message->signature = frames[at + 1];
    memcpy(message->parts, frames + at + 2, sizeof(message->parts));
    message->buffers = frames + at + 2 + WIRE_PARTS;
    message->buffer_count = count - at - 2 - WIRE_PARTS;
    if (message->parts[WIRE_HEADER].len > LIMIT_WIRE_HEADER)
        return error_set(err, ERR_TOO_LARGE, "header over %d bytes", LIMIT_WIRE_HEADER);
    return 0;
}

static int
verify(const struct wire_message *message, struct signer *signer, struct error *err)
{
    if (signer_verify(signer, message->parts, WIRE_PARTS, message->signature))
        return 0;
    return error_set(err, ERR_DENIED,
                     message->signature.len ? "wrong signature" : "no signature");
}

static int
check_json(const struct wire_message *message, struct error *err)
{
    for (size_t i = 0; i < WIRE_PARTS; i++)
        if (json_scan_check(message->parts[i], err) < 0)
            return error_wrap(err, "%s", part_names[i]);
    return 0;
}

static int
read_header(struct wire_message *message, struct error *err)
{
    struct slice text = message->parts[WIRE_HEADER];
    json_error_t at;

    message->header = json_loadb(text.data, text.len, JSON_ALLOW_NUL, &at);
    message->type = json_string_value(json_object_get(message->header, "msg_type"));
    message->id = json_string_value(json_object_get(message->header, "msg_id"));
    if (!message->type || !message->id)
        return error_set(err, ERR_BAD_INPUT, "header without msg_type and msg_id");
    return 0;
}

int
wire_parse(const struct slice *frames, size_t count, struct signer *signer,
           struct wire_message *out, struct error *err)
{
    AUTO(wire_message) struct wire_message message = WIRE_MESSAGE_INIT;

    if (split(frames, count, &message, err) < 0 || verify(&message, signer, err) < 0 ||
        check_json(&message, err) < 0 || read_header(&message, err) < 0)
        return -1;
    *out = message;
    message = (struct wire_message)WIRE_MESSAGE_INIT;
    return 0;
}

void
wire_message_release(struct wire_message *message)
{
    json_decref(message->header);
    *message = (struct wire_message)WIRE_MESSAGE_INIT;
}
