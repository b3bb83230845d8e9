/* What measures and limits memory and CPU time, and further runtimes. */
#include "cli/capture.h"
#include "cli/doctor/probe.h"
#include "cli/doctor/probe_groups.h"

/* How a resource is kept, and what there is instead where control groups cannot be had.
 */
static const struct {
    const char *name;
    enum cgroup_resource resource;
    const char *instead;
} kept[] = {
    {"memory",     CGROUP_MEMORY,
     "a meter in cellpod-sandboxd enforces the limit, which is soft: it estimates "
     "what sockets, pipes and mappings hold, and does not stop a burst at once"},
    {"processors", CGROUP_CPU,    "sandboxes that ask for `cpus` are refused"  },
};

static const char *
remedy(void)
{
    return cgroups_are_mounted()
               ? "run Jupyter where control groups are delegated: systemd-run --user "
                 "--scope jupyter lab"
               : "none are mounted here: start the machine with systemd, or, as root, "
                 "mount -t cgroup2 none /sys/fs/cgroup";
}

/* As the daemon does at its start: groups are made, limits written, a process moved,
 * and systemd asked for a scope where that cannot be. */
static void
probe_cgroups(struct report *report)
{
    struct probed_groups groups;

    probe_groups(&groups);
    for (size_t i = 0; i < COUNT_OF(kept); i++) {
        int version = groups.versions[kept[i].resource];
        if (version)
            report_add(report, kept[i].name, CHECK_OK, NULL,
                       "limited by control groups, version %d%s", version,
                       groups.is_lent ? ", in a scope that your systemd lends" : "");
        else
            report_add(report, kept[i].name, CHECK_NOTE, remedy(),
                       "no control group is available%s%s%s: %s",
                       *groups.not_lent ? " (none is lent: " : "", groups.not_lent,
                       *groups.not_lent ? ")" : "", kept[i].instead);
    }
}

static void
probe_runsc(struct report *report)
{
    char program[] = "runsc", version[] = "--version";
    char *arguments[] = {program, version, NULL};
    struct error err;
    AUTO(mem) char *line = capture_line(arguments, &err);

    if (line)
        report_add(report, "runsc", CHECK_OK, NULL, "%s", line);
    else
        report_add(report, "runsc", CHECK_NOTE, NULL,
                   "not installed: only needed for sandboxes under gVisor");
}

void
probe_resources(struct report *report)
{
    probe_cgroups(report);
    probe_runsc(report);
}
