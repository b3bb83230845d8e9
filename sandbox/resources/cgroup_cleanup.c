#include "sandbox/resources/cgroup_cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <time.h>

#include "sandbox/resources/cgroup_file.h"
#include "sandbox/resources/process_tree.h"

#define LOG_COMPONENT "cgroup_cleanup"
#include "common/log.h"

#define PREFIX "cellpod-"

enum {
    MAX_LINE = 8192,
    FIRST_AGAIN_MS = 50, /* then twice as long each time, up to: */
    MOST_AGAIN_MS = 60000,
    MOST_LOOKS =
        6000, /* at the end: on a busy machine who was killed takes long to end */
    LOOK_AGAIN_NS = 10000000,
};

struct remain {
    LIST_ENTRY(remain) link;
    char *folder;
    int version;
};

struct cgroup_cleanup {
    struct loop *loop;
    LIST_HEAD(, remain) list;
    struct loop_timer again;
    int64_t again_ms;
};

/* --- one group --- */

/* Whoever is in a group of ours is a process of a sandbox. */
static void
kill_members(const char *folder, int version)
{
    char text[MAX_LINE];
    struct error err;
    char *end;

    if (version == 2 && cgroup_file_write(folder, "cgroup.kill", "1", &err) == 0)
        return;
    const char *at = cgroup_file_read(folder, "cgroup.procs", text, sizeof(text));
    for (long pid = strtol(at, &end, 10); end != at; pid = strtol(at, &end, 10)) {
        at = end;
        if (pid > 1)
            kill((pid_t)pid, SIGKILL);
    }
}

/* True also of what is not ours to remove: of another user, say. */
static bool
is_done(const char *folder)
{
    return rmdir(folder) == 0 || (errno != EBUSY && errno != ENOTEMPTY);
}

static bool
remove_group(const char *folder, int version)
{
    struct error err;

    if (is_done(folder))
        return true;
    /* Those that wait for memory in a group of version 1 wait for ever without this. */
    if (version == 1)
        (void)!cgroup_file_write(folder, "memory.oom_control", "0", &err);
    kill_members(folder, version);
    return is_done(folder);
}

static bool
remove_with_groups(const char *folder, int version)
{
    DIR *open = opendir(folder);
    struct dirent *entry;

    while (open && (entry = readdir(open))) {
        AUTO(mem) char *path = xasprintf("%s/%s", folder, entry->d_name);
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
            remove_group(path, version);
    }
    if (open)
        closedir(open);
    return remove_group(folder, version);
}

/* --- all of them --- */

/* Returns whether none is left. */
static bool
look_again(struct cgroup_cleanup *cleanup)
{
    struct remain *remain, *next;

    for (remain = LIST_FIRST(&cleanup->list); remain; remain = next) {
        next = LIST_NEXT(remain, link);
        if (!remove_with_groups(remain->folder, remain->version))
            continue;
        log_info("gone path=%s", remain->folder);
        LIST_REMOVE(remain, link);
        free(remain->folder);
        free(remain);
    }
    return LIST_EMPTY(&cleanup->list);
}

static void
wait_longer(struct cgroup_cleanup *cleanup)
{
    loop_timer_set(cleanup->loop, &cleanup->again, cleanup->again_ms);
    cleanup->again_ms *= 2;
    if (cleanup->again_ms > MOST_AGAIN_MS)
        cleanup->again_ms = MOST_AGAIN_MS;
}

static void
on_again(void *context)
{
    struct cgroup_cleanup *cleanup = context;

    if (!look_again(cleanup))
        wait_longer(cleanup);
}

static bool
is_listed(const struct cgroup_cleanup *cleanup, const char *folder)
{
    const struct remain *remain;

    LIST_FOREACH (remain, &cleanup->list, link)
        if (strcmp(remain->folder, folder) == 0)
            return true;
    return false;
}

void
cgroup_cleanup_add(struct cgroup_cleanup *cleanup, const char *folder, int version)
{
    if (is_listed(cleanup, folder) || remove_with_groups(folder, version))
        return;
    struct remain *remain = xcalloc(1, sizeof(*remain));
    *remain = (struct remain){.folder = xstrdup(folder), .version = version};
    LIST_INSERT_HEAD(&cleanup->list, remain, link);
    log_info("not empty yet path=%s", folder);
    cleanup->again_ms = FIRST_AGAIN_MS;
    if (cleanup->loop)
        wait_longer(cleanup);
}

/* --- what daemons that were killed have left --- */

static unsigned long long
start_time(pid_t pid)
{
    char text[1024];
    char *at = strrchr(process_tree_read(pid, "stat", text, sizeof(text)), ')');

    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

char *
cgroup_cleanup_base(const char *parent)
{
    return xasprintf("%s/" PREFIX "%d-%llu", parent, (int)getpid(),
                     start_time(getpid()));
}

static bool
is_left_over(const char *name)
{
    char *end;

    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
        return false;
    long pid = strtol(name + strlen(PREFIX), &end, 10);
    if (pid <= 0 || *end != '-')
        return false;
    unsigned long long started = strtoull(end + 1, &end, 10);
    return !*end && start_time((pid_t)pid) != started;
}

void
cgroup_cleanup_sweep(struct cgroup_cleanup *cleanup, const char *parent, int version)
{
    DIR *folder = opendir(parent);
    struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        if (entry->d_type != DT_DIR || !is_left_over(entry->d_name))
            continue;
        AUTO(mem) char *path = xasprintf("%s/%s", parent, entry->d_name);
        log_info("sweep path=%s", path);
        cgroup_cleanup_add(cleanup, path, version);
    }
    if (folder)
        closedir(folder);
}

/* --- life --- */

struct cgroup_cleanup *
cgroup_cleanup_new(struct loop *loop)
{
    struct cgroup_cleanup *cleanup = xcalloc(1, sizeof(*cleanup));

    *cleanup = (struct cgroup_cleanup){.loop = loop};
    cleanup->again = (struct loop_timer){.on_due = on_again, .context = cleanup};
    LIST_INIT(&cleanup->list);
    return cleanup;
}

static void
give_up(struct cgroup_cleanup *cleanup)
{
    struct remain *remain;

    while ((remain = LIST_FIRST(&cleanup->list))) {
        log_info("left for the next daemon path=%s", remain->folder);
        LIST_REMOVE(remain, link);
        free(remain->folder);
        free(remain);
    }
}

void
cgroup_cleanup_free(struct cgroup_cleanup *cleanup)
{
    const struct timespec moment = {.tv_nsec = LOOK_AGAIN_NS};

    if (!cleanup)
        return;
    if (cleanup->loop)
        loop_timer_cancel(cleanup->loop, &cleanup->again);
    for (int look = 0; look < MOST_LOOKS && !look_again(cleanup); look++)
        nanosleep(&moment, NULL);
    give_up(cleanup);
    free(cleanup);
}
