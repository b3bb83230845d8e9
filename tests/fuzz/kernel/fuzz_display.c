/* Input: a display's content, as a sandbox may send it. What comes out must still be
 * JSON, have no image that was complained about, and be left alone a second time. */
#include <jansson.h>

#include "kernel/jupyter/json_scan.h"
#include "kernel/output/display.h"
#include "kernel/output/image_check.h"
#include "kernel/output/output_reduce.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
try_as_images(struct slice bytes)
{
    struct image_size size;
    struct error err;

    (void)!image_check_png(bytes, &(uint64_t){UINT64_MAX}, &size, &err);
    (void)!image_check_jpeg(bytes, &(uint64_t){UINT64_MAX}, &size, &err);
}

/* Does what clients show of it, its "data", hold something that may run? */
static bool
shows_more_than_tables(struct slice content)
{
    json_t *root = json_loadb(content.data, content.len, JSON_ALLOW_NUL, NULL);
    const json_t *data = json_object_get(root, "data");
    bool found = json_object_get(data, "image/svg+xml") ||
                 json_object_get(data, "text/markdown");

    json_decref(root);
    return found;
}

/* As if a model's code had sent it: JSON again, with none of what may run. */
static void
reduce(struct slice content)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer notice = BUFFER_INIT(SIZE_MAX);
    struct error err;

    output_reduce_display(content, &out, &notice);
    if (json_scan_check(buffer_slice(&out), &err) < 0 ||
        shows_more_than_tables(buffer_slice(&out)))
        abort();
    buffer_clear(&out);
    output_reduce_reply(content, &out, &notice);
    if (json_scan_check(buffer_slice(&out), &err) < 0)
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer again = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer complaint = BUFFER_INIT(SIZE_MAX);
    struct slice content = {(const char *)data, size};
    struct error err;

    try_as_images(content);
    if (json_scan_check(content, &err) < 0)
        return 0;
    reduce(content);
    if (display_check(content, &(uint64_t){UINT64_MAX}, &out, &complaint) ==
        DISPLAY_AS_IT_IS)
        return 0;
    if (json_scan_check(buffer_slice(&out), &err) < 0)
        abort();
    buffer_clear(&complaint);
    if (display_check(buffer_slice(&out), &(uint64_t){UINT64_MAX}, &again,
                      &complaint) != DISPLAY_AS_IT_IS ||
        complaint.len)
        abort();
    return 0;
}
