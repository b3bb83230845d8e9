#include "sandbox/http/routes.h"

static bool
matches(const char *pattern, const char *path, struct route_match *match)
{
    while (*pattern && (*path || *pattern == '*')) {
        if (strcmp(pattern, "**") == 0) {
            match->rest = slice_of(path);
            return true;
        }
        if (*pattern == '*') {
            match->segment = (struct slice){path, strcspn(path, "/")};
            if (match->segment.len == 0)
                return false;
            path += match->segment.len;
            pattern++;
        } else if (*pattern++ != *path++) {
            return false;
        }
    }
    return !*pattern && !*path;
}

const struct route *
routes_find(const struct route *routes, size_t count, const char *method,
            const char *path, struct route_match *match, bool *path_exists)
{
    *path_exists = false;
    for (size_t i = 0; i < count; i++) {
        struct route_match found = {
            {path, 0},
            {path, 0}
        };
        if (!matches(routes[i].pattern, path, &found))
            continue;
        *path_exists = true;
        if (strcmp(routes[i].method, method) != 0)
            continue;
        *match = found;
        return &routes[i];
    }
    return NULL;
}
