/* Kernelspecs that Jupyter finds: whether one of them starts this cellpod. */
#include <glob.h>
#include <limits.h>
#include <stdio.h>

#include "cli/doctor/probe.h"
#include "common/paths.h"
#include "kernel/place/claim.h"

#define BELOW "kernels/*/kernel.json"

/* Of the folder of Jupyter's data that an environment's Python lies in. */
static char *
environments_data(void)
{
    struct error err;
    AUTO(mem) char *python = claim_find_python(&err);
    char *slash = python ? strrchr(python, '/') : NULL;

    if (!slash)
        return NULL;
    *slash = '\0';
    return xasprintf("%s/../share/jupyter", python);
}

static void
look(struct report *report, const char *path, const char *own, unsigned *found)
{
    json_auto_t *spec = json_load_file(path, 0, NULL);
    const char *program =
        json_string_value(json_array_get(json_object_get(spec, "argv"), 0));
    AUTO(mem) char *real = program ? realpath(program, NULL) : NULL;
    const char *name = program ? strrchr(program, '/') : NULL;

    if (!name || strcmp(name, "/cellpod-kernel") != 0)
        return;
    (*found)++;
    if (!real)
        report_add(report, "kernelspec", CHECK_NOTE,
                   "cellpod install, or remove the kernelspec",
                   "%s starts %s, which does not exist", path, program);
    else
        report_add(report, "kernelspec", CHECK_OK, NULL, "%s%s%s", path,
                   strcmp(real, own) == 0 ? "" : " starts another cellpod, ",
                   strcmp(real, own) == 0 ? "" : real);
}

static void
search(struct report *report, const char *data, const char *own, unsigned *found)
{
    AUTO(mem) char *pattern = xasprintf("%s/" BELOW, data);
    glob_t hits;

    if (glob(pattern, 0, NULL, &hits) == 0)
        for (size_t i = 0; i < hits.gl_pathc; i++)
            look(report, hits.gl_pathv[i], own, found);
    globfree(&hits);
}

static void
search_all(struct report *report, const char *own, unsigned *found)
{
    static const char *const fixed[] = {"/usr/local/share/jupyter",
                                        "/usr/share/jupyter"};
    const char *named = getenv("JUPYTER_DATA_DIR"), *more = getenv("JUPYTER_PATH");
    AUTO(mem) char *users =
        named && *named ? xstrdup(named) : paths_expand_home("~/.local/share/jupyter");
    AUTO(mem) char *environment = environments_data();

    for (const char *at = more ? more : ""; *at;) {
        size_t len = strcspn(at, ":");
        AUTO(mem) char *folder = xstrndup(at, len);
        if (len)
            search(report, folder, own, found);
        at += len + (at[len] == ':');
    }
    search(report, users, own, found);
    if (environment)
        search(report, environment, own, found);
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        search(report, fixed[i], own, found);
}

void
probe_jupyter(struct report *report)
{
    struct error err;
    unsigned found = 0;
    AUTO(mem) char *program = paths_installed("bin/cellpod-kernel", &err);
    AUTO(mem) char *own = program ? realpath(program, NULL) : NULL;

    if (!own) {
        report_add(report, "cellpod-kernel", CHECK_FAILED, "install cellpod again",
                   "%s is missing", program ? program : "it");
        return;
    }
    report_add(report, "cellpod-kernel", CHECK_OK, NULL, "%s", own);
    search_all(report, own, &found);
    if (!found)
        report_add(report, "kernelspec", CHECK_NOTE, "cellpod install",
                   "no kernelspec of cellpod's where Jupyter looks");
}
