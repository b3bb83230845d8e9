/* A profile, however mad, gives lines of JSON in which nothing ends a block or hides;
 * and below level 3 no text that stands in a cell only. */
#include <stdlib.h>

#include "bridge/prompt/facts.h"
#include "bridge/prompt/prompt.h"

#define CELL "ce11te><t"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_lines(const struct buffer *text)
{
    const char *at = text->data, *end;

    while (at && *at) {
        end = strchr(at, '\n');
        json_auto_t *line = json_loadb(at, (size_t)(end - at), JSON_ALLOW_NUL, NULL);
        if (!json_is_object(line) || memchr(at, '`', (size_t)(end - at)) ||
            memchr(at, '<', (size_t)(end - at)))
            abort();
        at = end + 1;
    }
}

/* Every member that may hold cells gets one more. */
static void
plant(json_t *profile)
{
    json_t *table, *column;
    size_t i, j;

    json_array_foreach (json_object_get(profile, "frames"), i, table) {
        json_object_set_new(table, "sample", json_pack("[[s]]", CELL));
        json_array_foreach (json_object_get(table, "columns"), j, column) {
            json_object_set_new(column, "values", json_pack("[s]", CELL));
            json_object_set_new(column, "min", json_string(CELL));
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_auto_t *profile = json_loadb((const char *)data, size, JSON_ALLOW_NUL, NULL);

    if (memmem(data, size, "ce11", 4) || memmem(data, size, "\\u", 2))
        return 0; /* it stands elsewhere too */
    plant(profile);
    for (int level = 0; level <= 3; level++) {
        AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
        facts_write(&out, profile, level, (struct facts_size){3, true, 2}, "q");
        check_lines(&out);
        if (level < LEVEL_VALUES && out.data && strstr(out.data, "ce11te"))
            abort();
        if (level == LEVEL_NOTHING && out.len)
            abort();
    }
    return 0;
}
