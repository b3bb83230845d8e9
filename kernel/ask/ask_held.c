#include "kernel/ask/ask_held.h"

#include "common/limits.h"
#include "kernel/ask/ask_cell.h"
#include "kernel/jupyter/json_fields.h"

#define PRINTED_BYTES 4096

void
ask_held_init(struct ask_held *held)
{
    *held = (struct ask_held){
        .events = BUFFER_INIT(LIMIT_ASK_HELD_BYTES),
        .printed = BUFFER_INIT(SIZE_MAX),
    };
}

void
ask_held_release(struct ask_held *held)
{
    buffer_release(&held->events);
    buffer_release(&held->printed);
}

void
ask_held_clear(struct ask_held *held)
{
    ask_held_release(held);
    ask_held_init(held);
}

static void
note_printed(struct ask_held *held, struct slice content)
{
    AUTO(mem) char *name = json_field_text(content, "name");
    AUTO(mem) char *text = json_field_text(content, "text");

    if (!text || !name || strcmp(name, "stdout") != 0)
        return;
    buffer_append_text(&held->printed, text);
    if (held->printed.len > PRINTED_BYTES)
        buffer_consume(&held->printed, held->printed.len - PRINTED_BYTES);
}

void
ask_held_add(struct ask_held *held, const struct envelope *event)
{
    json_auto_t *line = json_pack("{s:s}", "type", event->type);
    struct error err;

    if (strcmp(event->type, "stream") == 0)
        note_printed(held, event->content);
    if (strcmp(event->type, "stream") == 0 ||
        strcmp(event->type, "display_data") == 0 ||
        strcmp(event->type, "execute_result") == 0)
        held->has_shown = true;
    if (!held->is_over &&
        envelope_append(&held->events, line, event->content, event->metadata,
                        event->buffers, event->buffer_count, &err) < 0)
        held->is_over = true;
}

static bool
has_metadata(const char *type)
{
    return strcmp(type, "display_data") == 0 || strcmp(type, "execute_result") == 0;
}

/* Its content has passed content_check, so "metadata" is an object. */
static void
add_metadata(struct buffer *out, struct slice content, const char *metadata)
{
    struct slice given = json_field(content, "metadata");
    size_t before = (size_t)(given.data + given.len - 1 - content.data);
    struct json_fields fields = json_fields_of(given);
    struct slice key, value;
    bool is_empty = !json_fields_next(&fields, &key, &value);

    buffer_append(out, content.data, before);
    buffer_printf(out, "%s\"cellpod\":%s", is_empty ? "" : ",", metadata);
    buffer_append(out, content.data + before, content.len - before);
}

static void
show(struct ask *ask, struct envelope *event, const char *metadata)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    if (has_metadata(event->type)) {
        add_metadata(&content, event->content, metadata);
        event->content = buffer_slice(&content);
    }
    ask->host.show(ask->host.context, event);
}

void
ask_held_show(struct ask_held *held, struct ask *ask, const json_t *metadata)
{
    AUTO(mem) char *text = json_dumps(metadata, JSON_COMPACT);
    struct slice rest = buffer_slice(&held->events);
    struct error err;

    while (rest.len) {
        AUTO(envelope) struct envelope event = ENVELOPE_INIT;
        ssize_t used = envelope_parse(rest, &event, NULL, &err);
        if (used <= 0)
            break;
        show(ask, &event, text);
        rest = (struct slice){rest.data + used, rest.len - (size_t)used};
    }
    if (held->is_over)
        publish_stderr(ask->host.publisher,
                       "cellpod: the code produced more output than can be held back "
                       "until it ends; the rest is missing.\n",
                       ask->cell->header);
}
