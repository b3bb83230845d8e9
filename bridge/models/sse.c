#include "bridge/models/sse.h"

#include "common/limits.h"

#define BOM "\xEF\xBB\xBF"

void
sse_init(struct sse *sse, sse_event_fn *on_event, void *context)
{
    *sse = (struct sse){
        .on_event = on_event,
        .context = context,
        .line = BUFFER_INIT(LIMIT_SSE_LINE),
        .name = BUFFER_INIT(LIMIT_SSE_LINE),
        .data = BUFFER_INIT(LIMIT_SSE_EVENT),
    };
}

void
sse_release(struct sse *sse)
{
    buffer_release(&sse->line);
    buffer_release(&sse->name);
    buffer_release(&sse->data);
}

static void
give(struct sse *sse, bool is_bare)
{
    const struct sse_event event = {
        .name = buffer_slice(&sse->name),
        .data = buffer_slice(&sse->data),
        .is_bare = is_bare,
    };

    if (!sse->on_event(&event, sse->context))
        sse->is_stopped = true;
}

static void
dispatch(struct sse *sse)
{
    if (sse->has_data)
        give(sse, false);
    buffer_clear(&sse->name);
    buffer_clear(&sse->data);
    sse->has_data = false;
}

static int
too_long(const char *what, struct error *err)
{
    return error_set(err, ERR_TOO_LARGE, "the server sent %s that is too long", what);
}

static int
add_data(struct sse *sse, struct slice value, struct error *err)
{
    if ((sse->has_data && buffer_append(&sse->data, "\n", 1) < 0) ||
        buffer_append(&sse->data, value.data, value.len) < 0)
        return too_long("an event", err);
    sse->has_data = true;
    return 0;
}

static int
set_name(struct sse *sse, struct slice value, struct error *err)
{
    buffer_clear(&sse->name);
    return buffer_append(&sse->name, value.data, value.len) < 0
               ? too_long("an event's name", err)
               : 0;
}

static int
take_field(struct sse *sse, struct slice name, struct slice value, struct error *err)
{
    if (slice_equals(name, SLICE("data")))
        return add_data(sse, value, err);
    if (slice_equals(name, SLICE("event")))
        return set_name(sse, value, err);
    if (slice_equals(name, SLICE("error"))) /* older llama.cpp, in mid-stream */
        return set_name(sse, name, err) < 0 ? -1 : add_data(sse, value, err);
    return 0; /* id, retry, comments, and what may be invented later */
}

static int
end_line(struct sse *sse, struct error *err)
{
    struct slice line = buffer_slice(&sse->line);
    struct slice name = line, value = {"", 0};

    if (line.len == 0) {
        dispatch(sse);
        return 0;
    }
    const char *colon = memchr(line.data, ':', line.len);
    if (colon) {
        name.len = (size_t)(colon - line.data);
        value = (struct slice){colon + 1, line.len - name.len - 1};
        if (value.len && value.data[0] == ' ')
            value = (struct slice){value.data + 1, value.len - 1};
    }
    int result = take_field(sse, name, value, err);
    buffer_clear(&sse->line);
    return result;
}

/* One byte of a bare JSON object; strings hide braces. */
static int
take_json(struct sse *sse, char c, struct error *err)
{
    if (buffer_append(&sse->data, &c, 1) < 0)
        return too_long("a JSON object", err);
    if (sse->after_backslash)
        sse->after_backslash = false;
    else if (sse->in_string && c == '\\')
        sse->after_backslash = true;
    else if (c == '"')
        sse->in_string = !sse->in_string;
    else if (!sse->in_string && (c == '{' || c == '['))
        sse->depth++;
    else if (!sse->in_string && (c == '}' || c == ']'))
        sse->depth--;
    if (sse->depth)
        return 0;
    sse->in_json = false;
    give(sse, true);
    buffer_clear(&sse->data);
    return 0;
}

static bool
starts_json(const struct sse *sse, char c)
{
    return sse->line.len == 0 && c == '{';
}

/* The brackets, commas and blanks around the objects of an array. */
static bool
is_between_objects(const struct sse *sse, char c)
{
    return sse->line.len == 0 && (c == '[' || c == ']' || c == ',' || c == ' ');
}

static int
begin_json(struct sse *sse, struct error *err)
{
    dispatch(sse);
    sse->in_json = true;
    sse->depth = 0;
    return take_json(sse, '{', err);
}

static int
take_byte(struct sse *sse, char c, struct error *err)
{
    bool was_cr = sse->after_cr;

    sse->after_cr = false;
    if (sse->in_json)
        return take_json(sse, c, err);
    if (c == '\n' && was_cr)
        return 0;
    if (c == '\n' || c == '\r') {
        sse->after_cr = c == '\r';
        return end_line(sse, err);
    }
    if (starts_json(sse, c))
        return begin_json(sse, err);
    if (is_between_objects(sse, c))
        return 0;
    if (buffer_append(&sse->line, &c, 1) < 0)
        return too_long("a line", err);
    if (sse->line.len == 3 && sse->total == 3 && memcmp(sse->line.data, BOM, 3) == 0)
        buffer_clear(&sse->line);
    return 0;
}

/* How many bytes are only kept, and can be so at once: most of an answer. The first of
 * a line say what the line is. */
static size_t
count_plain(const struct sse *sse, struct slice bytes)
{
    size_t len = 0;

    if (sse->in_json) {
        while (!sse->after_backslash && len < bytes.len &&
               !strchr("\"\\{}[]", bytes.data[len]))
            len++;
    } else if (sse->line.len >= strlen(BOM)) {
        while (len < bytes.len && bytes.data[len] != '\n' && bytes.data[len] != '\r')
            len++;
    }
    return len;
}

static int
take_plain(struct sse *sse, struct slice bytes, struct error *err)
{
    struct buffer *kept = sse->in_json ? &sse->data : &sse->line;

    if (buffer_append(kept, bytes.data, bytes.len) < 0)
        return too_long(sse->in_json ? "a JSON object" : "a line", err);
    return 0;
}

int
sse_feed(struct sse *sse, struct slice bytes, struct error *err)
{
    size_t left = LIMIT_REPLY_BYTES - sse->total;
    bool is_too_much = bytes.len > left;

    if (is_too_much)
        bytes.len = left;
    while (bytes.len && !sse->is_stopped) {
        size_t plain = count_plain(sse, bytes), len = plain ? plain : 1;
        sse->total += len;
        if ((plain ? take_plain(sse, (struct slice){bytes.data, len}, err)
                   : take_byte(sse, bytes.data[0], err)) < 0)
            return -1;
        bytes = (struct slice){bytes.data + len, bytes.len - len};
    }
    return is_too_much && !sse->is_stopped ? too_long("an answer", err) : 0;
}

int
sse_end(struct sse *sse, struct error *err)
{
    if (sse->is_stopped)
        return 0;
    if (sse->in_json) /* cut inside: the adapter must learn that it is broken */
        give(sse, true);
    else if (sse->line.len && end_line(sse, err) < 0)
        return -1;
    else
        dispatch(sse);
    buffer_clear(&sse->data);
    sse->in_json = false;
    return 0;
}

bool
sse_is_done(const struct sse_event *event)
{
    const struct slice done = SLICE("[DONE]");

    return event->data.len >= done.len &&
           memcmp(event->data.data, done.data, done.len) == 0;
}
