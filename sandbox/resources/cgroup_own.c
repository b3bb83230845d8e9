#include "sandbox/resources/cgroup_own.h"

#include <stdio.h>

#include "common/base.h"

enum {
    MAX_LINE = 8192
};

static bool
has_word(const char *list, const char *word, const char *separators)
{
    size_t len = strlen(word);

    for (const char *at = list; *at;) {
        size_t here = strcspn(at, separators);
        if (here == len && strncmp(at, word, len) == 0)
            return true;
        at += here;
        at += *at != '\0';
    }
    return false;
}

bool
cgroup_own_mount(const char *controller, struct cgroup_mount *out)
{
    char line[MAX_LINE], type[32], options[1024];
    const char *wanted = *controller ? "cgroup" : "cgroup2";
    bool is_found = false;
    FILE *file = fopen("/proc/self/mountinfo", "re");

    while (file && !is_found && fgets(line, sizeof(line), file)) {
        const char *rest = strstr(line, " - ");
        is_found =
            rest && sscanf(rest, " - %31s %*s %1023s", type, options) == 2 &&
            strcmp(type, wanted) == 0 &&
            (!*controller || has_word(options, controller, ",")) &&
            sscanf(line, "%*s %*s %*s %4095s %4095s", out->root, out->point) == 2;
    }
    if (file)
        fclose(file);
    return is_found;
}

/* "4:memory:/path" of /proc/self/cgroup; "0::/path" is version 2. */
static bool
find_path(const char *controller, char *out, size_t size)
{
    char line[MAX_LINE];
    bool is_found = false;
    FILE *file = fopen("/proc/self/cgroup", "re");

    while (file && !is_found && fgets(line, sizeof(line), file)) {
        char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        is_found = *controller ? has_word(list + 1, controller, ",") : !list[1];
        snprintf(out, size, "%s", path);
    }
    if (file)
        fclose(file);
    return is_found;
}

char *
cgroup_own_folder(const char *controller)
{
    struct cgroup_mount mount;
    char own[PATH_MAX];

    if (!cgroup_own_mount(controller, &mount) ||
        !find_path(controller, own, sizeof(own)))
        return NULL;
    size_t root = strcmp(mount.root, "/") == 0 ? 0 : strlen(mount.root);
    bool is_below = strncmp(own, mount.root, root) == 0;
    const char *rest = is_below ? own + root : "";
    return xasprintf("%s%s", mount.point, strcmp(rest, "/") == 0 ? "" : rest);
}
