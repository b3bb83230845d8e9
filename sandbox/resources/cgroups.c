#include "sandbox/resources/cgroups.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

#include "sandbox/resources/cgroup_file.h"
#include "sandbox/resources/cgroup_own.h"
#include "sandbox/resources/user_scope.h"

#define LOG_COMPONENT "cgroups"
#include "common/log.h"

static const char *const controllers[] = {
    [CGROUP_MEMORY] = "memory",
    [CGROUP_CPU] = "cpu",
};

bool
cgroups_are_mounted(void)
{
    struct cgroup_mount mount;

    return cgroup_own_mount("", &mount) ||
           cgroup_own_mount(controllers[CGROUP_MEMORY], &mount);
}

/* --- trying it out --- */

/* A process is moved in and out again: rights to the folder alone do not show it. */
static int
try_move(const char *group, struct error *err)
{
    char text[32];
    pid_t pid = fork();

    if (pid < 0)
        return error_sys(err, "fork");
    if (pid == 0) {
        for (;;)
            pause();
    }
    snprintf(text, sizeof(text), "%d", (int)pid);
    int result = cgroup_file_write(group, "cgroup.procs", text, err);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return result;
}

/* What a group of this kind must let us write. */
static const struct {
    enum cgroup_resource resource;
    int version;
    const char *file, *value;
} probes[] = {
    {CGROUP_MEMORY, 1, "memory.limit_in_bytes", "1073741824"},
    {CGROUP_MEMORY, 1, "memory.oom_control",    "1"         },
    {CGROUP_MEMORY, 2, "memory.high",           "1073741824"},
    {CGROUP_MEMORY, 2, "memory.max",            "1073741824"},
    {CGROUP_CPU,    1, "cpu.cfs_quota_us",      "100000"    },
    {CGROUP_CPU,    2, "cpu.max",               "100000"    },
};

static int
try_files(const char *group, enum cgroup_resource resource, int version,
          struct error *err)
{
    for (size_t i = 0; i < COUNT_OF(probes); i++)
        if (probes[i].resource == resource && probes[i].version == version &&
            cgroup_file_write(group, probes[i].file, probes[i].value, err) < 0)
            return -1;
    return 0;
}

static int
try_base(struct cgroups *cgroups, const char *base, enum cgroup_resource resource,
         int version, struct error *err)
{
    AUTO(mem) char *group = xasprintf("%s/probe", base);

    if (mkdir(group, 0755) < 0)
        return error_sys(err, "make %s", group);
    int result = try_files(group, resource, version, err);
    if (result == 0)
        result = try_move(group, err);
    cgroup_cleanup_add(cgroups->cleanup, group, version);
    return result;
}

/* Version 2 has no processes in groups that have groups with controllers: so not below
 * our own group, but beside it, or as near to it as somebody lets us. */
static void
enable(const char *folder)
{
    struct error err;

    for (size_t i = 0; i < COUNT_OF(controllers); i++) {
        AUTO(mem) char *word = xasprintf("+%s", controllers[i]);
        (void)!cgroup_file_write(folder, "cgroup.subtree_control", word, &err);
    }
}

/* Of version 2, one folder serves for all resources. */
static bool
is_used(const struct cgroups *cgroups, const char *base)
{
    for (int i = 0; i < CGROUP_RESOURCES; i++)
        if (cgroups->places[i].base && strcmp(cgroups->places[i].base, base) == 0)
            return true;
    return false;
}

static bool
use(struct cgroups *cgroups, const char *parent, enum cgroup_resource resource,
    int version)
{
    AUTO(mem) char *base = cgroup_cleanup_base(parent);
    struct error err;

    cgroup_cleanup_sweep(cgroups->cleanup, parent, version);
    if (version == 2)
        enable(parent);
    if (mkdir(base, 0755) < 0 && errno != EEXIST)
        return false;
    if (version == 2)
        enable(base);
    if (try_base(cgroups, base, resource, version, &err) < 0) {
        log_info("unusable: %s", err.text);
        if (!is_used(cgroups, base))
            cgroup_cleanup_add(cgroups->cleanup, base, version);
        return false;
    }
    cgroups->places[resource] = (struct cgroup_place){version, TAKE(base)};
    return true;
}

static bool
find_version_2(struct cgroups *cgroups, enum cgroup_resource resource)
{
    struct cgroup_mount mount;
    AUTO(mem) char *folder = cgroup_own_folder("");

    if (!folder || !cgroup_own_mount("", &mount))
        return false;
    for (;;) {
        if (use(cgroups, folder, resource, 2))
            return true;
        char *slash = strrchr(folder, '/');
        if (strcmp(folder, mount.point) == 0 || !slash)
            return false;
        *slash = '\0';
    }
}

static bool
find_version_1(struct cgroups *cgroups, enum cgroup_resource resource)
{
    AUTO(mem) char *folder = cgroup_own_folder(controllers[resource]);

    return folder && use(cgroups, folder, resource, 1);
}

/* --- how much is there? --- */

static uint64_t
machine_memory(void)
{
    struct sysinfo info;

    return sysinfo(&info) < 0 ? 0 : (uint64_t)info.totalram * info.mem_unit;
}

/* The least that our own group, or one around it, leaves of it. */
static uint64_t
own_memory(uint64_t machine)
{
    AUTO(mem) char *one = cgroup_own_folder("memory");
    AUTO(mem) char *two = cgroup_own_folder("");
    uint64_t limit, least = machine;

    if (one &&
        cgroup_file_number(one, "memory.stat", "hierarchical_memory_limit", &limit) &&
        limit < least)
        least = limit;
    while (two && strlen(two) > strlen("/sys/fs/cgroup")) {
        if (cgroup_file_number(two, "memory.max", NULL, &limit) && limit &&
            limit < least)
            least = limit;
        *strrchr(two, '/') = '\0';
    }
    return least;
}

uint64_t
cgroups_default_memory(const struct cgroups *cgroups, bool is_only_one)
{
    return cgroups->memory_bytes / 16 * (is_only_one ? 12 : 7);
}

uint64_t
cgroups_most_memory(const struct cgroups *cgroups)
{
    return cgroups->memory_bytes / 8 * 7;
}

static void
limit_all(const struct cgroups *cgroups)
{
    const struct cgroup_place *place = &cgroups->places[CGROUP_MEMORY];
    AUTO(mem) char *text =
        xasprintf("%llu", (unsigned long long)cgroups_most_memory(cgroups));
    struct error err;

    if (place->version &&
        cgroup_file_write(place->base,
                          place->version == 2 ? "memory.max" : "memory.limit_in_bytes",
                          text, &err) < 0)
        log_error("%s", err.text);
}

static void
find_places(struct cgroups *cgroups)
{
    for (int i = 0; i < CGROUP_RESOURCES; i++) {
        const struct cgroup_place *place = &cgroups->places[i];
        if (!place->version && !find_version_2(cgroups, (enum cgroup_resource)i))
            (void)find_version_1(cgroups, (enum cgroup_resource)i);
        log_info("%s version=%d base=%s", controllers[i], place->version,
                 place->base ? place->base : "none");
    }
}

static bool
can_limit_memory(const struct cgroups *cgroups)
{
    return cgroups->places[CGROUP_MEMORY].version != 0;
}

/* Where nothing is ours, the user's systemd may have something for us. */
static void
borrow_places(struct cgroups *cgroups)
{
    struct error err;

    if (user_scope_enter(&err) < 0) {
        log_info("no scope: %s", err.text);
        cgroups->not_lent = xstrdup(err.text);
        return;
    }
    find_places(cgroups);
    cgroups->is_lent = can_limit_memory(cgroups);
    if (!cgroups->is_lent)
        cgroups->not_lent = xstrdup("its scope has no memory to limit");
}

struct cgroups *
cgroups_open(struct loop *loop)
{
    struct cgroups *cgroups = xcalloc(1, sizeof(*cgroups));

    cgroups->cleanup = cgroup_cleanup_new(loop);
    find_places(cgroups);
    if (!can_limit_memory(cgroups) && cgroups_are_mounted())
        borrow_places(cgroups);
    cgroups->memory_bytes = own_memory(machine_memory());
    limit_all(cgroups);
    return cgroups;
}

void
cgroups_close(struct cgroups *cgroups)
{
    if (!cgroups)
        return;
    for (int i = 0; i < CGROUP_RESOURCES; i++) {
        struct cgroup_place *place = &cgroups->places[i];
        if (place->base)
            cgroup_cleanup_add(cgroups->cleanup, place->base, place->version);
        free(place->base);
    }
    cgroup_cleanup_free(cgroups->cleanup);
    free(cgroups->not_lent);
    free(cgroups);
}
