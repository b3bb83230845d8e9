/* No more text comes out than went in, and none of it from elsewhere. */
#include <stdlib.h>

#include "common/limits.h"
#include "sandbox/running/output_journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct told {
    struct slice memory;
    const char *end; /* of the last piece */
};

static void
check(void *context, const char *stream, const char *parent, struct slice text)
{
    struct told *told = context;

    if (strncmp(stream, "std", 3) != 0 || strlen(parent) > LIMIT_REQUEST_ID ||
        !text.len || text.data < told->end ||
        text.data + text.len > told->memory.data + told->memory.len)
        abort();
    told->end = text.data + text.len;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct told told = {
        {(const char *)data, size},
        (const char *)data
    };

    output_journal_parse(told.memory, size % 16, check, &told);
    return 0;
}
