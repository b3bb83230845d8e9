#include "sandbox/routes.h"

static bool
matches(const char *pattern, const char *path, struct slice *segment)
{
    while (*pattern && *path) {
        if (*pattern == '*') {
            *segment = (struct slice){path, strcspn(path, "/")};
            if (segment->len == 0)
                return false;
            path += segment->len;
            pattern++;
        } else if (*pattern++ != *path++) {
            return false;
        }
    }
    return !*pattern && !*path;
}

const struct route *
route_find(const struct route *routes, size_t count, const char *method,
           const char *path, struct slice *segment, bool *path_exists)
{
    *path_exists = false;
    for (size_t i = 0; i < count; i++) {
        struct slice found = {path, 0};
        if (!matches(routes[i].pattern, path, &found))
            continue;
        *path_exists = true;
        if (strcmp(routes[i].method, method) != 0)
            continue;
        *segment = found;
        return &routes[i];
    }
    return NULL;
}
