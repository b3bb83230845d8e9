#include "sandbox/resources/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "sandbox/resources/cgroup_file.h"
#include "sandbox/resources/process_tree.h"

#define LOG_COMPONENT "cgroup"
#include "common/log.h"

enum {
    CPU_PERIOD_US = 100000,
    NEARLY = 4 << 20, /* so much below its limit a group may be that is at it */
};

struct cgroup {
    int version; /* of its memory */
    char *name;
    char *memory;      /* folder */
    char *cpu;         /* folder, NULL: the same, or none */
    int pressure, oom; /* version 1 */
    struct cgroup_cleanup *cleanup;
};

static int
make_folder(const char *path, struct error *err)
{
    return mkdir(path, 0755) < 0 ? error_sys(err, "make %s", path) : 0;
}

static int
write_number(const char *folder, const char *file, uint64_t number, struct error *err)
{
    AUTO(mem) char *text = xasprintf("%llu", (unsigned long long)number);

    return cgroup_file_write(folder, file, text, err);
}

/* Where the kernel counts no swap there is no such file. */
static int
write_if_there(const char *folder, const char *file, uint64_t number, struct error *err)
{
    AUTO(mem) char *path = xasprintf("%s/%s", folder, file);

    return access(path, F_OK) < 0 ? 0 : write_number(folder, file, number, err);
}

/* --- memory --- */

/* The kernel shall tell, and let wait, instead of killing. */
static int
watch_pressure(struct cgroup *group, struct error *err)
{
    AUTO(mem) char *path = xasprintf("%s/memory.oom_control", group->memory);

    group->pressure = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    group->oom = open(path, O_RDONLY | O_CLOEXEC);
    if (group->pressure < 0 || group->oom < 0)
        return error_sys(err, "watch %s", path);
    AUTO(mem) char *pair = xasprintf("%d %d", group->pressure, group->oom);
    if (cgroup_file_write(group->memory, "cgroup.event_control", pair, err) < 0)
        return -1;
    return cgroup_file_write(group->memory, "memory.oom_control", "1", err);
}

/* Memory and swap together: else what is over the limit would only be swapped out. */
static int
limit_memory_1(struct cgroup *group, const struct cgroup_limits *limits,
               struct error *err)
{
    if (write_number(group->memory, "memory.limit_in_bytes", limits->memory_soft, err) <
            0 ||
        write_if_there(group->memory, "memory.memsw.limit_in_bytes",
                       limits->memory_hard, err) < 0)
        return -1;
    return watch_pressure(group, err);
}

static int
limit_memory_2(struct cgroup *group, const struct cgroup_limits *limits,
               struct error *err)
{
    if (write_number(group->memory, "memory.high", limits->memory_soft, err) < 0 ||
        write_number(group->memory, "memory.max", limits->memory_hard, err) < 0)
        return -1;
    return write_if_there(group->memory, "memory.swap.max", 0, err);
}

/* --- processor time --- */

static int
limit_cpus(const char *folder, int version, double cpus, struct error *err)
{
    char text[64];
    long quota = (long)(cpus * CPU_PERIOD_US);

    snprintf(text, sizeof(text), version == 2 ? "%ld %d" : "%ld", quota, CPU_PERIOD_US);
    return cgroup_file_write(folder, version == 2 ? "cpu.max" : "cpu.cfs_quota_us",
                             text, err);
}

static int
make_cpu(struct cgroup *group, const struct cgroup_place *place, double cpus,
         struct error *err)
{
    if (!place->version)
        return error_set(err, ERR_ISOLATION,
                         "resources.cpus: cellpod has no control group for processor "
                         "time on this machine; remove cpus, or see "
                         "docs/isolation.md, \"Resources\"");
    if (place->version == 2 && group->version == 2)
        return limit_cpus(group->memory, 2, cpus, err);
    group->cpu = xasprintf("%s/%s", place->base, group->name);
    if (make_folder(group->cpu, err) < 0)
        return -1;
    return limit_cpus(group->cpu, place->version, cpus, err);
}

/* --- life --- */

static int
make(struct cgroup *group, const struct cgroups *cgroups,
     const struct cgroup_limits *limits, struct error *err)
{
    const struct cgroup_place *place = &cgroups->places[CGROUP_MEMORY];

    group->version = place->version;
    if (place->version) {
        group->memory = xasprintf("%s/%s", place->base, group->name);
        if (make_folder(group->memory, err) < 0 ||
            (place->version == 2 ? limit_memory_2(group, limits, err)
                                 : limit_memory_1(group, limits, err)) < 0)
            return -1;
    }
    if (limits->cpus > 0)
        return make_cpu(group, &cgroups->places[CGROUP_CPU], limits->cpus, err);
    return 0;
}

int
cgroup_new(struct cgroup **out, const struct cgroups *cgroups, const char *name,
           const struct cgroup_limits *limits, struct error *err)
{
    AUTO(cgroup) struct cgroup *group = xcalloc(1, sizeof(*group));

    group->cleanup = cgroups->cleanup;
    group->pressure = group->oom = -1;
    group->name = xstrdup(name);
    if (make(group, cgroups, limits, err) < 0)
        return -1;
    *out = group->memory || group->cpu ? TAKE(group) : NULL;
    return 0;
}

static void
remove_folder(struct cgroup *group, char *folder, int version)
{
    if (folder)
        cgroup_cleanup_add(group->cleanup, folder, version);
    free(folder);
}

void
cgroup_free(struct cgroup *group)
{
    if (!group)
        return;
    auto_fd(&group->pressure);
    auto_fd(&group->oom);
    remove_folder(group, group->memory, group->version);
    remove_folder(group, group->cpu, 0);
    free(group->name);
    free(group);
}

/* --- its processes --- */

int
cgroup_open_procs(const struct cgroup *group, int fds[CGROUP_RESOURCES])
{
    const char *folders[] = {group->memory, group->cpu};
    int count = 0;

    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        if (!folders[i])
            continue;
        AUTO(mem) char *path = xasprintf("%s/cgroup.procs", folders[i]);
        fds[count] = open(path, O_WRONLY | O_CLOEXEC);
        count += fds[count] >= 0;
    }
    return count;
}

/* Every group of ours ends in the sandbox's id, which is chance. */
bool
cgroup_holds(const struct cgroup *group, pid_t pid)
{
    char text[4096];
    const char *at = process_tree_read(pid, "cgroup", text, sizeof(text));
    int wanted = !!group->memory + !!group->cpu;
    size_t len = strlen(group->name);

    while ((at = strstr(at, group->name)) && (at += len))
        wanted -= *at == '\n' || !*at;
    return wanted <= 0;
}

/* --- its memory --- */

int
cgroup_pressure_fd(const struct cgroup *group)
{
    return group->pressure;
}

void
cgroup_clear_pressure(const struct cgroup *group)
{
    uint64_t count;

    while (read(group->pressure, &count, sizeof(count)) > 0)
        continue;
}

static uint64_t
number_of(const struct cgroup *group, const char *file, const char *key)
{
    uint64_t number = 0;

    if (group->memory && !cgroup_file_number(group->memory, file, key, &number))
        return 0;
    return number;
}

/* The kernel's own word for it is out of date just after the limit was raised. */
bool
cgroup_is_waiting(const struct cgroup *group)
{
    uint64_t used = number_of(group, "memory.usage_in_bytes", NULL);

    return number_of(group, "memory.oom_control", "under_oom") > 0 &&
           used + NEARLY >= number_of(group, "memory.limit_in_bytes", NULL);
}

uint64_t
cgroup_memory(const struct cgroup *group)
{
    static const char *const keys_1[] = {"total_rss", "total_shmem", NULL};
    /* What the kernel needs for many processes is charged, and never taken back. */
    static const char *const keys_2[] = {
        "anon", "shmem", "slab_unreclaimable", "kernel_stack", "pagetables", NULL,
    };
    uint64_t sum = 0;

    for (const char *const *key = group->version == 2 ? keys_2 : keys_1; *key; key++)
        sum += number_of(group, "memory.stat", *key);
    return sum;
}

uint64_t
cgroup_peak(const struct cgroup *group)
{
    return group->version == 2 ? number_of(group, "memory.peak", NULL)
                               : number_of(group, "memory.max_usage_in_bytes", NULL);
}

uint64_t
cgroup_kills(const struct cgroup *group)
{
    return group->version == 2 ? number_of(group, "memory.events", "oom_kill")
                               : number_of(group, "memory.oom_control", "oom_kill");
}

bool
cgroup_set_soft(struct cgroup *group, uint64_t bytes)
{
    struct error err;

    if (!group->memory)
        return true;
    return write_number(group->memory,
                        group->version == 2 ? "memory.high" : "memory.limit_in_bytes",
                        bytes, &err) == 0;
}
