/* A description of a failed cell, however mad, gives code or a refusal. What is said of
 * it is one line, and code is what it was but for the places that change: no character
 * that hides comes into it. */
#include <stdlib.h>

#include "bridge/repair/diff.h"
#include "bridge/repair/repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
has_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' && *text != '\n')
            return true;
    return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_auto_t *failure = json_loadb((const char *)data, size, JSON_ALLOW_NUL, NULL);
    AUTO(repair) struct repair repair;

    repair_make(&repair, failure);
    if (!repair.code == !repair.refusal || !repair.code != !repair.said)
        abort();
    if (!repair.code)
        return 0;
    const char *before = repair_code(failure);
    if (!before || strchr(repair.said, '\n') || has_control(repair.said))
        abort();
    if (!has_control(before) && has_control(repair.code))
        abort();
    AUTO(mem) char *diff = diff_lines(before, repair.code);
    if ((strcmp(before, repair.code) != 0) != (*diff != '\0'))
        abort();
    return 0;
}
