/* Any answer gives code, a refusal or prose; extracted code normalizes to itself. */
#include <stdlib.h>

#include "bridge/asking/extract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice answer = {(const char *)data + 1, size - 1};

    if (size == 0)
        return 0;
    AUTO(extract) struct extract extract;
    extract_code(&extract, answer, data[0] & 1);
    if (!extract.code || !extract.said ||
        (extract.kind == EXTRACT_CODE) != (extract.code[0] != '\0'))
        abort();
    AUTO(mem) char *once = extract_normalize(extract.code);
    AUTO(mem) char *twice = extract_normalize(once);
    if (strcmp(once, twice) != 0)
        abort();
    return 0;
}
