/* What measures and limits memory and CPU time, and further runtimes. */
#include <linux/magic.h>
#include <stdio.h>
#include <sys/statfs.h>

#include "cli/capture.h"
#include "cli/probe.h"

static bool
is_file_system(const char *path, long magic)
{
    struct statfs about;

    return statfs(path, &about) == 0 && about.f_type == magic;
}

static void
probe_cgroups(struct report *report)
{
    bool is_v2 = is_file_system("/sys/fs/cgroup", CGROUP2_SUPER_MAGIC);
    bool is_v1 = is_file_system("/sys/fs/cgroup/memory", CGROUP_SUPER_MAGIC);
    AUTO(mem) char *own = probe_read_line("/proc/self/cgroup");

    report_add(report, "cgroups", CHECK_NOTE, NULL, "version %s; this process is in %s",
               is_v2   ? "2"
               : is_v1 ? "1"
                       : "none",
               own && *own ? own : "none");
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
