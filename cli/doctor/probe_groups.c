#include "cli/doctor/probe_groups.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>

static void
try_out(struct probed_groups *out)
{
    AUTO(cgroups) struct cgroups *cgroups = cgroups_open(NULL);

    for (int i = 0; i < CGROUP_RESOURCES; i++)
        out->versions[i] = cgroups->places[i].version;
    out->is_lent = cgroups->is_lent;
    if (cgroups->not_lent)
        snprintf(out->not_lent, sizeof(out->not_lent), "%s", cgroups->not_lent);
}

void
probe_groups(struct probed_groups *out)
{
    struct probed_groups found = {0};
    int ends[2];

    *out = found;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        try_out(&found);
        _exit(write(ends[1], &found, sizeof(found)) != sizeof(found));
    }
    close(ends[1]);
    if (pid > 0 && read(ends[0], &found, sizeof(found)) == sizeof(found))
        *out = found;
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, NULL, 0);
}
