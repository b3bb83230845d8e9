/* A message with a cell's text in it: unless the code or the names have it, it is not
 * in what leaves. */
#include <stdlib.h>

#include "bridge/prompt/redact.h"

#define CELL "Zyzzyva"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(mem) char *rest = xstrndup((const char *)data, size);
    size_t half = strlen(rest) / 2;
    AUTO(mem) char *message =
        xasprintf("%.*s '" CELL "' " CELL " %s", (int)half, rest, rest + half);
    json_auto_t *names = json_pack("[s, s]", "Profit", "Sub Category");
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    if (strstr(rest, CELL))
        return 0;
    redact_message(&out, message, "df['x'] = 'Profit'", names);
    if (out.data && strstr(out.data, CELL))
        abort();
    return 0;
}
