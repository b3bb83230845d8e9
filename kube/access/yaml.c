#include "kube/access/yaml.h"

#include <yaml.h>

#define DEEPEST 32

struct reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one */
    unsigned depth;
};

static int read_node(struct reader *reader, json_t **out, struct error *err);

static int
refuse(const struct reader *reader, const char *why, struct error *err)
{
    return error_set(err, ERR_BAD_INPUT, "line %zu: %s",
                     reader->event.start_mark.line + 1, why);
}

/* libyaml's descriptions are constants: they hold nothing of the text. */
static int
next(struct reader *reader, struct error *err)
{
    const yaml_parser_t *parser = &reader->parser;

    yaml_event_delete(&reader->event);
    if (yaml_parser_parse(&reader->parser, &reader->event))
        return 0;
    return error_set(err, ERR_BAD_INPUT, "line %zu: %s", parser->problem_mark.line + 1,
                     parser->problem ? parser->problem : "no YAML");
}

static json_t *
plain_value(const char *text, size_t len)
{
    const struct slice word = {text, len};

    if (slice_equals(word, SLICE("true")))
        return json_true();
    if (slice_equals(word, SLICE("false")))
        return json_false();
    if (len == 0 || slice_equals(word, SLICE("null")) || slice_equals(word, SLICE("~")))
        return json_null();
    return json_stringn(text, len);
}

static int
read_scalar(struct reader *reader, json_t **out, struct error *err)
{
    const char *text = (const char *)reader->event.data.scalar.value;
    size_t len = reader->event.data.scalar.length;

    if (reader->event.data.scalar.tag)
        return refuse(reader, "a tag, which is not supported here", err);
    if (strlen(text) != len)
        return refuse(reader, "a string that contains NUL", err);
    *out = reader->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE
               ? plain_value(text, len)
               : json_stringn(text, len);
    return *out ? 0 : refuse(reader, "text that is not UTF-8", err);
}

static int
read_sequence(struct reader *reader, json_t **out, struct error *err)
{
    json_auto_t *items = json_array();

    for (;;) {
        json_t *item = NULL;
        if (next(reader, err) < 0)
            return -1;
        if (reader->event.type == YAML_SEQUENCE_END_EVENT)
            break;
        if (read_node(reader, &item, err) < 0)
            return -1;
        json_array_append_new(items, item);
    }
    *out = TAKE(items);
    return 0;
}

static int
read_entry(struct reader *reader, json_t *into, struct error *err)
{
    json_t *value = NULL;

    if (reader->event.type != YAML_SCALAR_EVENT)
        return refuse(reader, "a key that is not a string", err);
    AUTO(mem) char *key = xstrndup((const char *)reader->event.data.scalar.value,
                                   reader->event.data.scalar.length);
    if (json_object_get(into, key))
        return refuse(reader, "a duplicate key", err);
    if (next(reader, err) < 0 || read_node(reader, &value, err) < 0)
        return -1;
    return json_object_set_new(into, key, value) < 0
               ? refuse(reader, "text that is not UTF-8", err)
               : 0;
}

static int
read_mapping(struct reader *reader, json_t **out, struct error *err)
{
    json_auto_t *entries = json_object();

    for (;;) {
        if (next(reader, err) < 0)
            return -1;
        if (reader->event.type == YAML_MAPPING_END_EVENT)
            break;
        if (read_entry(reader, entries, err) < 0)
            return -1;
    }
    *out = TAKE(entries);
    return 0;
}

static int
read_collection(struct reader *reader, json_t **out, struct error *err)
{
    bool is_mapping = reader->event.type == YAML_MAPPING_START_EVENT;

    if (is_mapping ? reader->event.data.mapping_start.anchor
                   : reader->event.data.sequence_start.anchor)
        return refuse(reader, "an anchor, which is not supported here", err);
    if (reader->depth >= DEEPEST)
        return refuse(reader, "nested too deeply", err);
    reader->depth++;
    int status =
        is_mapping ? read_mapping(reader, out, err) : read_sequence(reader, out, err);
    reader->depth--;
    return status;
}

static int
read_node(struct reader *reader, json_t **out, struct error *err)
{
    const yaml_event_type_t type = reader->event.type;

    if (type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT)
        return read_collection(reader, out, err);
    if (type == YAML_SCALAR_EVENT && !reader->event.data.scalar.anchor)
        return read_scalar(reader, out, err);
    return refuse(reader, "an anchor or alias, which is not supported here", err);
}

static int
read_stream(struct reader *reader, json_t **out, struct error *err)
{
    if (next(reader, err) < 0 || next(reader, err) < 0) /* the stream's start */
        return -1;
    if (reader->event.type == YAML_STREAM_END_EVENT) {
        *out = json_null();
        return 0;
    }
    if (next(reader, err) < 0 || read_node(reader, out, err) < 0)
        return -1;
    if (next(reader, err) < 0 || next(reader, err) < 0) /* the document's end */
        return -1;
    return reader->event.type == YAML_STREAM_END_EVENT
               ? 0
               : refuse(reader, "a second document", err);
}

int
yaml_read(struct slice text, json_t **out, struct error *err)
{
    struct reader reader = {0};
    json_auto_t *value = NULL;

    if (!yaml_parser_initialize(&reader.parser))
        abort();
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text.data,
                                 text.len);
    int status = read_stream(&reader, &value, err);
    yaml_event_delete(&reader.event);
    yaml_parser_delete(&reader.parser);
    if (status == 0)
        *out = TAKE(value);
    return status;
}
