/* An error's body, of any kind: a sentence that a person and JSON can take. */
#include <jansson.h>
#include <stdlib.h>

#include "bridge/models/failure.h"
#include "common/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct failure failure = FAILURE_INIT;

    if (size < 1)
        return 0;
    failure_from_http(&failure, 300 + data[0],
                      (struct slice){(const char *)data + 1, size - 1});
    AUTO(mem) char *text = failure_sentence(&failure, "x", NULL);
    if (!utf8_is_valid(slice_of(text)) || strpbrk(text, "\n\r\033"))
        abort();
    return 0;
}
