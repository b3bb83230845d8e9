/* The machine: its kernel, and the settings that decide about user namespaces. */
#include <stdio.h>
#include <sys/utsname.h>

#include "cli/doctor/probe.h"

enum {
    OLDEST_MAJOR = 5,
    OLDEST_MINOR = 13,
};

static char *
distribution(void)
{
    FILE *file = fopen("/etc/os-release", "re");
    AUTO(mem) char *line = NULL;
    size_t size = 0;
    char *name = NULL;

    while (file && !name && getline(&line, &size, file) > 0)
        if (strncmp(line, "PRETTY_NAME=", 12) == 0)
            name = xstrndup(line + 12 + (line[12] == '"'),
                            strcspn(line + 12 + (line[12] == '"'), "\"\n"));
    if (file)
        fclose(file);
    return name ? name : xstrdup("an unknown distribution");
}

static void
probe_kernel(struct report *report)
{
    AUTO(mem) char *name = distribution();
    struct utsname system;
    int major = 0, minor = 0;
    char *end;

    uname(&system);
    major = (int)strtol(system.release, &end, 10);
    minor = *end == '.' ? (int)strtol(end + 1, NULL, 10) : 0;
    bool is_new =
        major > OLDEST_MAJOR || (major == OLDEST_MAJOR && minor >= OLDEST_MINOR);
    report_add(report, "kernel", is_new ? CHECK_OK : CHECK_FAILED,
               is_new ? NULL : "cellpod needs Linux 5.13 or newer", "%s %s, %s, %s",
               system.sysname, system.release, system.machine, name);
}

/* Settings that forbid user namespaces to ordinary users. Only the attempt in the
 * isolation area decides; these say why it failed. */
static const struct knob {
    const char *name, *path, *forbids, *remedy;
} knobs[] = {
    {"user.max_user_namespaces",                     "/proc/sys/user/max_user_namespaces",         "0",
     "sudo sysctl -w user.max_user_namespaces=10000"                                                                                                       },
    {"kernel.unprivileged_userns_clone",             "/proc/sys/kernel/unprivileged_userns_clone",
     "0",                                                                                               "sudo sysctl -w kernel.unprivileged_userns_clone=1"},
    {"kernel.apparmor_restrict_unprivileged_userns",
     "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",                                     "1",
     "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or a profile with "
     "\"userns,\" for the Python in /etc/apparmor.d"                                                                                                       },
};

static void
probe_knob(struct report *report, const struct knob *knob)
{
    AUTO(mem) char *value = probe_read_line(knob->path);
    bool forbids = value && strcmp(value, knob->forbids) == 0;

    if (value)
        report_add(report, "setting", forbids ? CHECK_NOTE : CHECK_OK,
                   forbids ? knob->remedy : NULL, "%s = %s%s", knob->name, value,
                   forbids ? ": no user namespaces for ordinary users" : "");
    else
        report_add(report, "setting", CHECK_OK, NULL,
                   "%s: this kernel does not have the setting, so it forbids nothing",
                   knob->name);
}

void
probe_machine(struct report *report)
{
    probe_kernel(report);
    for (size_t i = 0; i < COUNT_OF(knobs); i++)
        probe_knob(report, &knobs[i]);
}
