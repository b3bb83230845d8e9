#include "kernel/output/output_reduce.h"

#include <ctype.h>
#include <jansson.h>

#include "kernel/output/html_reduce.h"

#define RULE_NAME "docs/security.md"

enum treatment {
    KEEP,
    REDUCE, /* HTML */
    SOURCE, /* shown as the text that it is written in */
};

/* A type that is not here is left out. */
static const struct type_rule {
    const char *mime;
    enum treatment treatment;
} types[] = {
    {"text/plain",       KEEP  },
    {"image/png",        KEEP  }, /* decoded by
  kernel/output/display.c */
    {"image/jpeg",       KEEP  }, /* likewise */
    {"application/json", KEEP  }, /* shown as a tree of texts */
    {"text/html",        REDUCE},
    {"text/markdown",    SOURCE},
    {"text/latex",       SOURCE},
};

/* Of a picture's metadata; everything else there may mean something to a client. */
static const char *const picture_fields[] = {"width", "height"};

static const struct type_rule *
find_rule(const char *mime)
{
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (strcmp(types[i].mime, mime) == 0)
            return &types[i];
    return NULL;
}

/* --- a line for the user --- */

/* A MIME type as the code wrote it: at most this much of it, and nothing unprintable.
 */
static void
append_mime(struct buffer *notice, const char *mime)
{
    for (size_t i = 0; mime[i] && i < 80; i++) {
        bool is_plain = isalnum((unsigned char)mime[i]) || strchr("/+-._", mime[i]);
        buffer_append(notice, is_plain ? mime + i : "?", 1);
    }
}

static void
tell_missing(struct buffer *notice, const char *mime, const char *why)
{
    buffer_append_text(notice, "cellpod: ");
    append_mime(notice, mime);
    buffer_printf(notice, " is not shown: %s\n", why);
}

static void
tell_losses(struct buffer *notice, const struct html_losses *losses)
{
    if (!losses->count)
        return;
    buffer_append_text(notice,
                       "cellpod: text/html is shown as a plain table, without ");
    for (size_t i = 0; i < HTML_NAMES && losses->names[i][0]; i++)
        buffer_printf(notice, "%s%s", i ? ", " : "", losses->names[i]);
    buffer_append_text(notice, "\n");
}

/* --- one bundle --- */

struct bundle {
    json_t *shown; /* what stays of "data" */
    struct buffer *notice;
};

static void
reduce_html(struct bundle *bundle, const char *mime, const json_t *value)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    struct html_losses losses;
    struct error err;

    if (!json_is_string(value)) {
        tell_missing(bundle->notice, mime, "it is not text");
        return;
    }
    if (html_reduce((struct slice){json_string_value(value), json_string_length(value)},
                    &out, &losses, &err) < 0) {
        tell_missing(bundle->notice, mime, err.text);
        return;
    }
    tell_losses(bundle->notice, &losses);
    json_object_set_new(bundle->shown, mime, json_stringn(out.data, out.len));
}

static void
reduce_type(struct bundle *bundle, const char *mime, json_t *value)
{
    const struct type_rule *rule = find_rule(mime);

    if (!rule)
        tell_missing(bundle->notice, mime,
                     "outputs are reduced to text, pictures and "
                     "tables (" RULE_NAME ")");
    else if (rule->treatment == REDUCE)
        reduce_html(bundle, mime, value);
    else if (rule->treatment == SOURCE && json_is_string(value))
        json_object_set(bundle->shown, "text/plain", value);
    else if (rule->treatment == KEEP &&
             !(strcmp(mime, "text/plain") == 0 && json_object_get(bundle->shown, mime)))
        json_object_set(bundle->shown, mime, value);
}

/* Takes nothing; a new object. */
static json_t *
reduce_data(json_t *data, struct buffer *notice)
{
    struct bundle bundle = {json_object(), notice};
    const char *mime;
    json_t *value;

    json_object_foreach (data, mime, value)
        reduce_type(&bundle, mime, value);
    if (json_object_size(data) && !json_object_get(bundle.shown, "text/plain"))
        json_object_set_new(bundle.shown, "text/plain", json_string("<not shown>"));
    return bundle.shown;
}

static json_t *
reduce_picture(const json_t *said)
{
    json_t *kept = json_object();

    for (size_t i = 0; i < COUNT_OF(picture_fields); i++) {
        json_t *value = json_object_get(said, picture_fields[i]);
        if (json_is_number(value) && json_number_value(value) > 0 &&
            json_number_value(value) < 1e5)
            json_object_set(kept, picture_fields[i], value);
    }
    return kept;
}

/* Sizes of pictures. */
static json_t *
reduce_metadata(const json_t *metadata)
{
    json_t *kept = json_object();

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        const json_t *said = json_object_get(metadata, types[i].mime);
        if (strncmp(types[i].mime, "image/", 6) == 0 && json_is_object(said))
            json_object_set_new(kept, types[i].mime, reduce_picture(said));
    }
    return kept;
}

/* The fields "data" and "metadata" of whatever has them. */
static void
reduce_fields(json_t *holder, struct buffer *notice)
{
    json_t *data = json_object_get(holder, "data");

    if (json_is_object(data))
        json_object_set_new(holder, "data", reduce_data(data, notice));
    else if (data)
        json_object_set_new(holder, "data", json_object());
    if (json_object_get(holder, "metadata"))
        json_object_set_new(holder, "metadata",
                            reduce_metadata(json_object_get(holder, "metadata")));
}

/* --- whole contents --- */

/* It has passed json_scan_check; jansson refuses some of that (numbers of any size).
 */
static json_t *
parse(struct slice content, struct buffer *notice)
{
    json_t *tree = json_loadb(content.data, content.len, JSON_ALLOW_NUL, NULL);

    if (!tree)
        tell_missing(notice, "an output", "it contains numbers that are too large");
    return tree;
}

static void
write_out(const json_t *tree, struct buffer *out)
{
    AUTO(mem) char *text = json_dumps(tree, JSON_COMPACT);

    buffer_append_text(out, text ? text : "{}");
}

void
output_reduce_display(struct slice content, struct buffer *out, struct buffer *notice)
{
    json_auto_t *tree = parse(content, notice);

    if (!tree)
        tree = json_pack("{s:{s:s}, s:{}, s:{}, s:i}", "data", "text/plain",
                         "<not shown>", "metadata", "transient", "execution_count", 0);
    reduce_fields(tree, notice);
    write_out(tree, out);
}

/* Help is shown, and exit() is the user's; nothing writes into cells. */
static bool
is_kept_payload(const json_t *entry)
{
    const char *source = json_string_value(json_object_get(entry, "source"));

    return source && (strcmp(source, "page") == 0 || strcmp(source, "ask_exit") == 0);
}

static void
reduce_payload(json_t *payload, struct buffer *notice)
{
    for (size_t i = json_array_size(payload); i-- > 0;) {
        json_t *entry = json_array_get(payload, i);
        reduce_fields(entry, notice);
        if (is_kept_payload(entry))
            continue;
        json_array_remove(payload, i);
        buffer_append_text(notice,
                           "cellpod: the code would have changed the notebook's cells; "
                           "that is not done (" RULE_NAME ")\n");
    }
}

void
output_reduce_reply(struct slice content, struct buffer *out, struct buffer *notice)
{
    json_auto_t *tree = parse(content, notice);
    const char *name;
    json_t *part;

    if (!tree)
        tree = json_pack("{s:s, s:s, s:s, s:[], s:i}", "status", "error", "ename",
                         "SandboxError", "evalue", "the reply cannot be read",
                         "traceback", "execution_count", 0);
    reduce_fields(tree, notice);
    reduce_payload(json_object_get(tree, "payload"), notice);
    json_object_foreach (json_object_get(tree, "user_expressions"), name, part)
        reduce_fields(part, notice);
    write_out(tree, out);
}
