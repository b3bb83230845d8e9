#include "kernel/output/display.h"

#include <jansson.h>

#include "common/base64.h"
#include "common/limits.h"
#include "kernel/jupyter/json_scan.h"
#include "kernel/output/image_check.h"

/* What browsers decode, and how it is checked here. */
static const struct image_type {
    const char *mime;
    int (*check)(struct slice bytes, uint64_t *budget, struct image_size *size,
                 struct error *err);
    bool gets_size;
} image_types[] = {
    {"image/png",  image_check_png,  true },
    {"image/jpeg", image_check_jpeg, false},
};

struct image {
    const struct image_type *type;
    struct image_size size;
    bool is_good;
    struct error why; /* if it is not */
};

struct bundle {
    struct slice data, metadata; /* objects; metadata may be empty */
    struct image images[COUNT_OF(image_types)];
    size_t image_count;
    uint64_t *budget;
    bool has_text;
};

static const struct image_type *
image_type_of(struct slice key)
{
    for (size_t i = 0; i < COUNT_OF(image_types); i++)
        if (json_scan_key_is(key, image_types[i].mime))
            return &image_types[i];
    return NULL;
}

/* The bytes behind a JSON string of base64; escapes are rare and left to jansson. */
static int
decode_string(struct slice quoted, struct buffer *out, struct error *err)
{
    if (json_scan_kind(quoted) != JSON_KIND_STRING)
        return error_set(err, ERR_BAD_INPUT, "it is not text in base64");
    if (!memchr(quoted.data, '\\', quoted.len))
        return base64_decode((struct slice){quoted.data + 1, quoted.len - 2}, out, err);
    json_auto_t *text =
        json_loadb(quoted.data, quoted.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    return base64_decode(
        (struct slice){json_string_value(text), json_string_length(text)}, out, err);
}

static void
check_image(struct image *image, uint64_t *budget, struct slice value)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(LIMIT_ENVELOPE_BYTES);

    image->is_good = decode_string(value, &bytes, &image->why) == 0 &&
                     image->type->check(buffer_slice(&bytes), budget, &image->size,
                                        &image->why) == 0;
}

static void
add_image(struct bundle *bundle, const struct image_type *type, struct slice value)
{
    for (size_t i = 0; i < bundle->image_count; i++)
        if (bundle->images[i].type == type) { /* readers take the last, or the first */
            bundle->images[i].is_good = false;
            error_format(&bundle->images[i].why, ERR_BAD_INPUT,
                         "it is there more than once");
            return;
        }
    struct image *image = &bundle->images[bundle->image_count++];
    image->type = type;
    check_image(image, bundle->budget, value);
}

static void
read_bundle(struct bundle *bundle, struct slice content)
{
    struct slice key, value;

    bundle->data = json_scan_field(content, "data");
    bundle->metadata = json_scan_field(content, "metadata");
    struct json_scan fields = json_scan_fields(bundle->data);
    while (json_scan_next(&fields, &key, &value)) {
        const struct image_type *type = image_type_of(key);
        if (type)
            add_image(bundle, type, value);
        bundle->has_text = bundle->has_text || json_scan_key_is(key, "text/plain");
    }
}

static struct image *
find_image(struct bundle *bundle, struct slice key)
{
    for (size_t i = 0; i < bundle->image_count; i++)
        if (json_scan_key_is(key, bundle->images[i].type->mime))
            return &bundle->images[i];
    return NULL;
}

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

static void
append_data(struct buffer *out, struct bundle *bundle)
{
    struct json_scan fields = json_scan_fields(bundle->data);
    struct slice key, value;
    bool is_text_missing = !bundle->has_text;

    buffer_append_text(out, "{");
    while (json_scan_next(&fields, &key, &value)) {
        struct image *image = find_image(bundle, key);
        if (!image || image->is_good)
            append_field(out, key, value);
        else if (is_text_missing)
            append_field(out, SLICE("text/plain"), SLICE("\"<image not shown>\""));
        is_text_missing = is_text_missing && (!image || image->is_good);
    }
    buffer_append_text(out, "}");
}

/* Width and height in front of whatever else is said about the image. */
static void
append_size(struct buffer *out, const struct image *image, struct slice said)
{
    struct json_scan fields = json_scan_fields(said);
    struct slice key, value;

    buffer_printf(out, "{\"width\":%u,\"height\":%u", image->size.width,
                  image->size.height);
    while (json_scan_next(&fields, &key, &value))
        append_field(out, key, value);
    buffer_append_text(out, "}");
}

static bool
has_own_size(struct slice said)
{
    return json_scan_field(said, "width").len || json_scan_field(said, "height").len;
}

static bool
gets_size(const struct image *image, struct slice said)
{
    return image->is_good && image->type->gets_size && !has_own_size(said);
}

static void
append_metadata(struct buffer *out, struct bundle *bundle)
{
    struct json_scan fields = json_scan_fields(bundle->metadata);
    struct slice key, value;

    buffer_append_text(out, "{");
    while (json_scan_next(&fields, &key, &value)) {
        struct image *image = find_image(bundle, key);
        if (!image || (image->is_good && !gets_size(image, value)))
            append_field(out, key, value);
    }
    for (size_t i = 0; i < bundle->image_count; i++) {
        struct image *image = &bundle->images[i];
        struct slice said = json_scan_field(bundle->metadata, image->type->mime);
        if (!gets_size(image, said))
            continue;
        append_field(out, slice_of(image->type->mime), SLICE(""));
        append_size(out, image, said);
    }
    buffer_append_text(out, "}");
}

static void
append_content(struct buffer *out, struct slice content, struct bundle *bundle)
{
    struct json_scan fields = json_scan_fields(content);
    struct slice key, value;

    buffer_append_text(out, "{");
    while (json_scan_next(&fields, &key, &value))
        if (!json_scan_key_is(key, "data") && !json_scan_key_is(key, "metadata"))
            append_field(out, key, value);
    append_field(out, SLICE("data"), SLICE(""));
    append_data(out, bundle);
    append_field(out, SLICE("metadata"), SLICE(""));
    append_metadata(out, bundle);
    buffer_append_text(out, "}");
}

static bool
needs_rewriting(struct bundle *bundle)
{
    for (size_t i = 0; i < bundle->image_count; i++) {
        struct image *image = &bundle->images[i];
        if (!image->is_good ||
            gets_size(image, json_scan_field(bundle->metadata, image->type->mime)))
            return true;
    }
    return false;
}

static void
complain(struct bundle *bundle, struct buffer *complaint)
{
    for (size_t i = 0; i < bundle->image_count; i++)
        if (!bundle->images[i].is_good)
            buffer_printf(complaint, "cellpod: %s is not shown: %s\n",
                          bundle->images[i].type->mime, bundle->images[i].why.text);
}

enum display_verdict
display_check(struct slice content, uint64_t *budget, struct buffer *out,
              struct buffer *complaint)
{
    struct bundle bundle = {.budget = budget};

    read_bundle(&bundle, content);
    if (!needs_rewriting(&bundle))
        return DISPLAY_AS_IT_IS;
    complain(&bundle, complaint);
    append_content(out, content, &bundle);
    return DISPLAY_REWRITTEN;
}
