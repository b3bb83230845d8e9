/* Where cellpod keeps things, and the Python that cells run. */
#include <stdio.h>

#include "cli/doctor/probe.h"
#include "common/paths.h"
#include "kernel/place/claim.h"

static const struct place {
    const char *name;
    char *(*find)(struct error *err);
} places[] = {
    {"runtime folder", paths_runtime_dir},
    {"state folder",   paths_state_dir  },
    {"cache folder",   paths_cache_dir  },
};

static void
probe_place(struct report *report, const struct place *place)
{
    struct error err;
    AUTO(mem) char *path = place->find(&err);

    if (!path)
        report_add(report, place->name, CHECK_FAILED,
                   "set HOME and XDG_RUNTIME_DIR to folders that you own", "%s",
                   err.text);
    else if (access(path, W_OK | X_OK) < 0)
        report_add(report, place->name, CHECK_FAILED, "make it writable for your user",
                   "%s is not writable", path);
    else
        report_add(report, place->name, CHECK_OK, NULL, "%s", path);
}

/* What a claim is made of: the configuration, and CELLPOD_… of the environment. */
static void
probe_claim(struct report *report)
{
    AUTO(mem) char *notice = NULL;
    struct error err;
    json_auto_t *claim = claim_make(true, NULL, &notice, &err);

    if (claim)
        report_add(report, "settings", CHECK_OK, NULL,
                   "the configuration and CELLPOD_… variables can be read");
    else
        report_add(report, "settings", CHECK_FAILED, NULL, "%s", err.text);
}

static void
probe_python(struct report *report)
{
    struct error err;
    AUTO(mem) char *python = claim_find_python(&err);

    if (python)
        report_add(report, "python", CHECK_OK, NULL, "%s", python);
    else
        report_add(report, "python", CHECK_FAILED,
                   "set CELLPOD_PYTHON to one that has IPython", "%s", err.text);
}

void
probe_files(struct report *report)
{
    for (size_t i = 0; i < COUNT_OF(places); i++)
        probe_place(report, &places[i]);
    probe_claim(report);
    probe_python(report);
}
