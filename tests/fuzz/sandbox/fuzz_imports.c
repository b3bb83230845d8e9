/* Input: what a worker says that its cells have imported. What is accepted is a short
 * list of texts, of which nothing but names is learnt. */
#include "common/limits.h"
#include "sandbox/messages/worker_message.h"
#include "sandbox/start/preload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {.text = ""};
    json_auto_t *names =
        worker_message_parse_imports((struct slice){(const char *)data, size}, &err);

    if (!names) {
        if (!err.text[0])
            abort();
        return 0;
    }
    if (json_array_size(names) > LIMIT_IMPORTS)
        abort();
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (!name || (preload_is_name(name) && strpbrk(name, "/ \n;\\")))
            abort();
    }
    return 0;
}
