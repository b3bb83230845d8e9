/* Input: a method, a space, a path. What `*` stood for is one segment of the path. */
#include <stdlib.h>

#include "sandbox/api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(mem) char *method = xstrndup((const char *)data, size);
    char *path = strchr(method, ' ');
    struct slice segment = {NULL, 0};
    bool exists;
    size_t count;

    if (!path)
        return 0;
    *path++ = '\0';
    const struct route *routes = api_routes(&count);
    const struct route *found =
        route_find(routes, count, method, path, &segment, &exists);
    if (!found)
        return 0;
    if (!exists || segment.data < path ||
        segment.data + segment.len > path + strlen(path) ||
        (segment.len && memchr(segment.data, '/', segment.len)))
        abort();
    return 0;
}
