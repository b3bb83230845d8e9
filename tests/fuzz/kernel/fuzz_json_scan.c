/* What we accept, jansson must accept too, save for what it cannot hold in memory:
 * numbers out of its range and "\u0000" keys. What it accepts and is UTF-8, so must we,
 * save for NUL bytes: it reads one behind a number as nothing. Of what both accept,
 * both find the same fields.
 */
#include <jansson.h>
#include <stdlib.h>

#include "kernel/jupyter/json_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
is_out_of_jansson(const json_error_t *at)
{
    enum json_error_code code = json_error_code(at);

    return code == json_error_numeric_overflow || code == json_error_null_byte_in_key ||
           code == json_error_stack_overflow;
}

/* The last field of each name is the tree's. */
static void
compare_fields(struct slice text, const json_t *tree)
{
    struct json_scan fields = json_scan_fields(text);
    struct slice key, value;
    json_auto_t *found = json_object();

    while (json_scan_next(&fields, &key, &value)) {
        json_auto_t *name =
            json_loadb(key.data - 1, key.len + 2, JSON_DECODE_ANY, NULL);
        json_t *loaded =
            json_loadb(value.data, value.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        if (!name || !loaded)
            abort();
        json_object_set_new(found, json_string_value(name), loaded);
    }
    if (!json_equal(found, tree))
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice text = {(const char *)data, size};
    json_error_t at;
    struct error err;
    json_auto_t *tree = json_loadb(text.data, text.len, JSON_ALLOW_NUL, &at);
    bool ours = json_scan_check(text, &err) == 0;

    if (ours && !tree && !is_out_of_jansson(&at))
        abort();
    if (!ours && json_is_object(tree) && !memchr(data, '\0', size))
        abort();
    if (ours && tree)
        compare_fields(text, tree);
    return 0;
}
