#include "sandbox/resources/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>

#include "sandbox/resources/process.h"

enum {
    MAX_PROCESSES = 4096,
    MAX_DEPTH = 64,
    SMALL_TABLES = 8 << 20,
    SIGNAL_TRIES = 4,
};

struct walk {
    process_visit_fn *visit;
    void *context;
    size_t processes;
};

const char *
process_tree_read(pid_t pid, const char *name, char *text, size_t size)
{
    char path[96];

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? 0 : read(fd, text, size - 1);
    text[len > 0 ? len : 0] = '\0';
    return text;
}

static void walk_process(struct walk *walk, pid_t pid, pid_t parent, int depth);

static void
walk_children(struct walk *walk, pid_t pid, const char *task, int depth)
{
    char name[64], text[16384];
    char *end;

    snprintf(name, sizeof(name), "task/%.20s/children", task);
    const char *at = process_tree_read(pid, name, text, sizeof(text));
    for (long child = strtol(at, &end, 10); end != at; child = strtol(at, &end, 10)) {
        at = end;
        walk_process(walk, (pid_t)child, pid, depth + 1);
    }
}

static void
walk_process(struct walk *walk, pid_t pid, pid_t parent, int depth)
{
    char path[64];
    struct dirent *task;

    if (++walk->processes > MAX_PROCESSES || depth > MAX_DEPTH)
        return;
    walk->visit(walk->context, pid, parent);
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    while (tasks && (task = readdir(tasks)))
        if (task->d_name[0] != '.')
            walk_children(walk, pid, task->d_name, depth);
    if (tasks)
        closedir(tasks);
}

void
process_tree_walk(pid_t root, process_visit_fn *visit, void *context)
{
    struct walk walk = {visit, context, 0};

    if (root > 0)
        walk_process(&walk, root, 0, 0);
}

/* --- memory --- */

static uint64_t
proportional(pid_t pid)
{
    char text[4096];
    const char *pss =
        strstr(process_tree_read(pid, "smaps_rollup", text, sizeof(text)), "Pss:");

    return pss ? strtoull(pss + 4, NULL, 10) << 10 : 0;
}

/* What the kernel needs to know where pages are. Of mappings that hold the same page of
 * zeroes everywhere there is nothing else. */
static uint64_t
page_tables(pid_t pid)
{
    char text[4096];
    const char *tables =
        strstr(process_tree_read(pid, "status", text, sizeof(text)), "\nVmPTE:");

    return tables ? strtoull(tables + 7, NULL, 10) << 10 : 0;
}

static uint64_t
resident(pid_t pid)
{
    char text[256];
    const char *pages =
        strchr(process_tree_read(pid, "statm", text, sizeof(text)), ' ');

    return pages ? strtoull(pages, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Linux goes through each entry of the tables to tell who shares what, a second for a
 * gigabyte of them, and we would wait. Who uses its memory needs a table for each 2 MB;
 * more than eight times that, or more than there can be at once, is mapped for nothing
 * else than to be many. */
static bool
is_costly(uint64_t resident, uint64_t tables)
{
    const uint64_t all =
        (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

    return tables > resident / 64 + SMALL_TABLES || resident > all;
}

uint64_t
process_tree_alone(pid_t pid)
{
    char text[4096];
    const uint64_t all = resident(pid), tables = page_tables(pid);

    if (is_costly(all, tables))
        return all + tables;
    const char *at = process_tree_read(pid, "smaps_rollup", text, sizeof(text));
    uint64_t bytes = 0;

    if (!*at)
        return UINT64_MAX;
    while ((at = strstr(at, "\nPrivate_"))) {
        at = strchr(at, ':') + 1;
        bytes += strtoull(at, NULL, 10) << 10;
    }
    return bytes;
}

uint64_t
process_tree_resident_of(pid_t pid)
{
    const uint64_t bytes = resident(pid);

    return bytes ? bytes + page_tables(pid) : 0;
}

uint64_t
process_tree_memory_of(pid_t pid)
{
    const uint64_t all = resident(pid), tables = page_tables(pid);
    const uint64_t share = is_costly(all, tables) ? 0 : proportional(pid);

    return share ? share + tables : process_tree_resident_of(pid);
}

struct sum {
    pid_t root;
    const struct process_tree_spared *spared; /* NULL: nobody */
    struct process_tree_memory_of memory;
};

static void
add_memory(void *context, pid_t pid, pid_t parent UNUSED)
{
    struct sum *sum = context;
    uint64_t bytes = pid == sum->root ? proportional(pid) : process_tree_memory_of(pid);

    sum->memory.bytes += bytes;
    if (pid == sum->root || bytes <= sum->memory.largest)
        return;
    sum->memory.largest = bytes;
    sum->memory.pid = pid;
}

struct process_tree_memory_of
process_tree_memory(pid_t root)
{
    struct sum sum = {.root = root};

    process_tree_walk(root, add_memory, &sum);
    return sum.memory;
}

static void
add_resident(void *context, pid_t pid, pid_t parent UNUSED)
{
    struct sum *sum = context;
    const struct process_tree_spared *spared = sum->spared;

    if (pid != sum->root && !(spared && spared->is_spared(spared->context, pid)))
        sum->memory.bytes += process_tree_resident_of(pid);
}

uint64_t
process_tree_resident(pid_t root)
{
    return process_tree_resident_but(root, NULL);
}

uint64_t
process_tree_resident_but(pid_t root, const struct process_tree_spared *spared)
{
    struct sum sum = {.root = root, .spared = spared};

    process_tree_walk(root, add_resident, &sum);
    return sum.memory.bytes;
}

/* --- deaths --- */

enum life {
    DEAD,
    DYING,
    LIVING
};

static bool
is_pending(const char *status, const char *name, int signal)
{
    const char *set = strstr(status, name);

    return set && strtoull(set + strlen(name), NULL, 16) & 1ULL << (signal - 1);
}

/* Linux lets a SIGKILL stand in the shared set for as long as it takes effect. A first
 * thread that has ended looks like a process that has: its others go on. */
static enum life
life_of(pid_t pid)
{
    char text[4096];
    const char *status = process_tree_read(pid, "status", text, sizeof(text));
    const char *threads = strstr(status, "\nThreads:");
    const bool is_alone = !threads || strtol(threads + 9, NULL, 10) <= 1;

    if (!*status || (is_alone && strstr(status, "\nState:\tZ")))
        return DEAD;
    if (is_pending(status, "\nShdPnd:", SIGKILL) ||
        (is_alone && !strstr(status, "\nVmSize:")))
        return DYING;
    return LIVING;
}

struct dying {
    pid_t root;
    bool is_any;
};

static void
look_for_dying(void *context, pid_t pid, pid_t parent UNUSED)
{
    struct dying *dying = context;

    if (pid != dying->root && !dying->is_any)
        dying->is_any = life_of(pid) == DYING;
}

bool
process_tree_is_dying(pid_t root)
{
    struct dying dying = {.root = root};

    process_tree_walk(root, look_for_dying, &dying);
    return dying.is_any;
}

/* --- writes --- */

/* Without a newline before it the name would be found in cancelled_write_bytes, too. */
static bool
read_written(pid_t pid, uint64_t *out)
{
    char text[512];
    const char *io = process_tree_read(pid, "io", text, sizeof(text));
    const char *written = strstr(io, "\nwrite_bytes: ");
    const char *cancelled = strstr(io, "\ncancelled_write_bytes: ");

    if (!written || !cancelled)
        return false;
    uint64_t all = strtoull(strchr(written, ' '), NULL, 10);
    uint64_t not_done = strtoull(strchr(cancelled, ' '), NULL, 10);
    *out = all > not_done ? all - not_done : 0;
    return true;
}

struct written {
    uint64_t bytes;
    bool is_shown;
};

static void
add_written(void *context, pid_t pid, pid_t parent UNUSED)
{
    struct written *written = context;
    uint64_t bytes;

    if (!read_written(pid, &bytes))
        return;
    written->bytes += bytes;
    written->is_shown = true;
}

bool
process_tree_written(pid_t root, uint64_t *bytes)
{
    struct written written = {.bytes = 0};

    process_tree_walk(root, add_written, &written);
    *bytes = written.bytes;
    return written.is_shown;
}

/* --- signals --- */

struct find {
    pid_t wanted;
    bool found;
};

static void
compare(void *context, pid_t pid, pid_t parent UNUSED)
{
    struct find *find = context;

    find->found = find->found || pid == find->wanted;
}

/* Opened first, looked for then: a pid that was found while its process lives is no
 * other process's. */
static int
open_member(pid_t root, pid_t pid)
{
    struct find find = {.wanted = pid};
    struct error err;
    AUTO(fd) int fd = pid > 1 && pid != root ? process_open(pid, &err) : -1;

    if (fd < 0)
        return -1;
    process_tree_walk(root, compare, &find);
    return find.found && process_is_alive(fd) ? take_fd(&fd) : -1;
}

bool
process_tree_kill(pid_t root, pid_t pid)
{
    AUTO(fd) int fd = open_member(root, pid);

    if (fd >= 0)
        process_kill(fd);
    return fd >= 0;
}

struct member {
    pid_t pid, parent;
};

struct members {
    pid_t root;
    struct member list[MAX_PROCESSES];
    size_t count;
};

static void
collect(void *context, pid_t pid, pid_t parent)
{
    struct members *members = context;

    if (pid != members->root && members->count < COUNT_OF(members->list))
        members->list[members->count++] = (struct member){pid, parent};
}

/* It may have gone, and its pid been given away, since it was seen. False: its parent
 * is another one now. */
static bool
signal_member(const struct member *member, int signal)
{
    struct error err;
    AUTO(fd) int fd = process_open(member->pid, &err);

    if (fd < 0)
        return true;
    if (!process_is_child(fd, member->parent))
        return false;
    process_signal(fd, signal);
    return true;
}

static struct members *
members_of(pid_t root)
{
    struct members *members = xcalloc(1, sizeof(*members));

    members->root = root;
    process_tree_walk(root, collect, members);
    return members;
}

void
process_tree_signal(pid_t root, int signal)
{
    bool is_complete = false;

    /* Who loses its parent meanwhile must not miss the word to go on. */
    for (int tries = 0; !is_complete && tries < SIGNAL_TRIES; tries++) {
        AUTO(mem) struct members *members = members_of(root);

        is_complete = true;
        for (size_t i = 0; i < members->count; i++)
            is_complete &= signal_member(&members->list[i], signal);
    }
}

static bool
kill_once(pid_t root, const struct process_tree_spared *spared)
{
    AUTO(mem) struct members *members = members_of(root);
    bool is_any = false;

    for (size_t i = 0; i < members->count; i++) {
        const struct member *member = &members->list[i];
        if (spared->is_spared(spared->context, member->pid))
            continue;
        is_any = is_any || life_of(member->pid) == LIVING;
        signal_member(member, SIGKILL);
    }
    return is_any;
}

bool
process_tree_kill_all(pid_t root, const struct process_tree_spared *spared)
{
    bool is_any = false;

    /* Who is born while we look is of the next look. */
    for (int tries = 0; tries < SIGNAL_TRIES && kill_once(root, spared); tries++)
        is_any = true;
    return is_any;
}
