/* Stands before each target (--wrap), whoever calls it: libFuzzer or replay. */
#include <stddef.h>

#include "tests/fuzz/steps.h"

int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
__wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    steps_allow(STEPS_BASE + (uint64_t)size * STEPS_PER_BYTE);
    int result = __real_LLVMFuzzerTestOneInput(data, size);
    steps_allow(UINT64_MAX);
    return result;
}
