/* Input: a method, a space, a path. What `*` stood for is one segment of the path, and
 * `**` a part of it. */
#include <stdlib.h>

#include "sandbox/api/api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
lies_in(struct slice part, const char *from, const char *to)
{
    return part.data >= from && part.data + part.len <= to;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(mem) char *method = xstrndup((const char *)data, size);
    char *path = strchr(method, ' ');
    struct route_match match;
    bool exists;
    size_t count;

    if (!path)
        return 0;
    *path++ = '\0';
    const struct route *routes = api_routes(&count);
    const struct route *found =
        routes_find(routes, count, method, path, &match, &exists);
    if (!found)
        return 0;
    const char *end = path + strlen(path);
    if (!exists || !lies_in(match.segment, path, end) ||
        !lies_in(match.rest, path, end) ||
        (match.segment.len && memchr(match.segment.data, '/', match.segment.len)))
        abort();
    return 0;
}
