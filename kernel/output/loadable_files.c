#include "kernel/output/loadable_files.h"

#include <fnmatch.h>
#include <fts.h>
#include <sys/stat.h>

enum {
    MAX_ENTRIES = 50000,
    MAX_DEPTH = 16,
    MAX_FOUND = 200,
};

static const char *const loadable[] = {
    "*.egg-link", "*.joblib", "*.pickle", "*.pkl", "*.pth",
    "*.py",       "*.pyc",    "*.pyw",    "*.so",  "jupyter_*config.json",
    "pyvenv.cfg",
};

bool
loadable_files_is_one(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(loadable); i++)
        if (fnmatch(loadable[i], name, 0) == 0)
            return true;
    return false;
}

static bool
is_changed(const FTSENT *entry, time_t since)
{
    return entry->fts_info == FTS_F && entry->fts_statp->st_ctime >= since &&
           loadable_files_is_one(entry->fts_name);
}

/* False once there is more than can be looked at, or named. */
static bool
add(json_t *found, const FTSENT *entry, size_t prefix)
{
    return json_array_append_new(found, json_string(entry->fts_path + prefix)) == 0 &&
           json_array_size(found) <= MAX_FOUND;
}

static bool
find(FTS *walk, size_t prefix, time_t since, json_t *found)
{
    FTSENT *entry;

    for (int i = 0; (entry = fts_read(walk)); i++) {
        if (i == MAX_ENTRIES || entry->fts_level > MAX_DEPTH)
            return false;
        if (is_changed(entry, since) && !add(found, entry, prefix))
            return false;
    }
    return true;
}

json_t *
loadable_files_since(const char *folder, time_t since)
{
    AUTO(mem) char *path = xstrdup(folder);
    char *roots[] = {path, NULL};
    json_t *found = json_array();
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);

    if (!walk)
        return found;
    if (!find(walk, strlen(folder) + 1, since, found)) {
        json_array_clear(found);
        json_array_append_new(found, json_string("."));
    }
    fts_close(walk);
    return found;
}
