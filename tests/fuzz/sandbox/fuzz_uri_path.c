/* Input: a path as it is in a URL. What is accepted is relative, short enough, and has
 * no empty segment, no "..", and no "." but for the workspace itself. */
#include <limits.h>
#include <stdlib.h>

#include "sandbox/http/uri_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const char *path)
{
    if (strcmp(path, ".") == 0)
        return;
    if (strlen(path) >= PATH_MAX)
        abort();
    for (size_t len; (len = strcspn(path, "/")), true; path += len + 1) {
        if (len == 0 || (len == 1 && *path == '.') ||
            (len == 2 && !memcmp(path, "..", 2)))
            abort();
        if (!path[len])
            return;
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(mem) char *path = NULL;
    struct error err;

    if (uri_path_parse((struct slice){(const char *)data, size}, &path, &err) == 0)
        check(path);
    return 0;
}
