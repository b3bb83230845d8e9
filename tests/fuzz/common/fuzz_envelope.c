/* Input: bytes as they come from a worker; every prefix must give "more", never a
 * crash. */
#include "common/envelope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice rest = {(const char *)data, size};

    for (;;) {
        AUTO(envelope) struct envelope e = ENVELOPE_INIT;
        struct error err;
        size_t needed;
        ssize_t used = envelope_parse(rest, &e, &needed, &err);
        if (used <= 0)
            return 0;
        rest = (struct slice){rest.data + used, rest.len - (size_t)used};
    }
}
