/* A cell is parsed or refused; completion works at every place in it. */
#include <stdlib.h>

#include "bridge/magic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(mem) char *cell = xstrndup((const char *)data, size);
    AUTO(magic) struct magic magic = {0};
    struct error err;
    size_t start;

    if (!magic_is_ours(cell))
        return 0;
    if (magic_parse(&magic, cell, &err) == 0 && !magic.question)
        abort();
    for (size_t cursor = 0; cursor <= strlen(cell) && cursor < 200; cursor++) {
        json_auto_t *matches = magic_complete(cell, cursor, NULL, &start);
        if (start > cursor)
            abort();
    }
    return 0;
}
