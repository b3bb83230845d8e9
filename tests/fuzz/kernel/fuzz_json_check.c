/* What we accept, jansson must accept too, save for what it cannot hold in memory:
 * numbers out of its range and "\u0000" keys. What it accepts and is UTF-8, so must we,
 * save for NUL bytes: it reads one behind a number as nothing.
 */
#include <jansson.h>
#include <stdlib.h>

#include "kernel/jupyter/json_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
is_out_of_jansson(const json_error_t *at)
{
    enum json_error_code code = json_error_code(at);

    return code == json_error_numeric_overflow || code == json_error_null_byte_in_key ||
           code == json_error_stack_overflow;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice text = {(const char *)data, size};
    json_error_t at;
    struct error err;
    json_auto_t *tree = json_loadb(text.data, text.len, JSON_ALLOW_NUL, &at);
    bool ours = json_check_object(text, &err) == 0;

    if (ours && !tree && !is_out_of_jansson(&at))
        abort();
    if (!ours && json_is_object(tree) && !memchr(data, '\0', size))
        abort();
    return 0;
}
