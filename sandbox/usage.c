#include "sandbox/usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>

#include "sandbox/loop.h"

enum {
    MAX_PROCESSES = 4096
};

struct totals {
    uint64_t ticks, bytes;
    size_t processes;
};

/* Text of a small file of /proc/PID, or "". */
static const char *
read_proc(pid_t pid, const char *name, char *text, size_t size)
{
    char path[96];

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? 0 : read(fd, text, size - 1);
    text[len > 0 ? len : 0] = '\0';
    return text;
}

static uint64_t
read_memory(pid_t pid)
{
    char text[4096];
    const char *pss =
        strstr(read_proc(pid, "smaps_rollup", text, sizeof(text)), "Pss:");

    if (pss)
        return strtoull(pss + 4, NULL, 10) << 10;
    read_proc(pid, "statm", text, sizeof(text));
    const char *resident = strchr(text, ' ');
    return resident ? strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE)
                    : 0;
}

/* utime and stime are the fields 14 and 15; the name, which is the second, may hold
 * anything, but nothing after its last parenthesis. */
static uint64_t
read_ticks(pid_t pid)
{
    char text[1024];
    char *at = strrchr(read_proc(pid, "stat", text, sizeof(text)), ')');

    for (int field = 2; at && field < 14; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return 0;
    uint64_t user = strtoull(at, &at, 10);
    return user + strtoull(at, NULL, 10);
}

static void add_process(struct totals *totals, pid_t pid, int depth);

static void
add_children(struct totals *totals, pid_t pid, const char *task, int depth)
{
    char name[64], text[16384];
    char *end;

    snprintf(name, sizeof(name), "task/%.20s/children", task);
    const char *at = read_proc(pid, name, text, sizeof(text));
    for (long child = strtol(at, &end, 10); end != at; child = strtol(at, &end, 10)) {
        at = end;
        add_process(totals, (pid_t)child, depth + 1);
    }
}

static void
add_process(struct totals *totals, pid_t pid, int depth)
{
    char path[64];
    struct dirent *task;

    if (++totals->processes > MAX_PROCESSES || depth > 64)
        return;
    totals->bytes += read_memory(pid);
    totals->ticks += read_ticks(pid);
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    while (tasks && (task = readdir(tasks)))
        if (task->d_name[0] != '.')
            add_children(totals, pid, task->d_name, depth);
    if (tasks)
        closedir(tasks);
}

static int
usable_processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : CPU_COUNT(&set);
}

static double
percent_since(struct usage_meter *meter, uint64_t ticks)
{
    int64_t now = loop_now_ms();
    double seconds = (double)(now - meter->last_ms) / 1000;
    double used = ticks > meter->last_ticks ? (double)(ticks - meter->last_ticks) : 0;
    bool first = meter->last_ms == 0;

    *meter = (struct usage_meter){.last_ms = now, .last_ticks = ticks};
    if (first || seconds <= 0)
        return 0;
    return 100 * used / (double)sysconf(_SC_CLK_TCK) / seconds;
}

json_t *
usage_measure(struct usage_meter *meter, pid_t init, pid_t worker)
{
    struct totals totals = {.processes = 0};
    char host[HOST_NAME_MAX + 1] = "";

    if (init > 0)
        add_process(&totals, init, 0);
    gethostname(host, sizeof(host) - 1);
    return json_pack("{s:s+, s:i, s:f, s:I, s:i}", "hostname", host, "", "pid",
                     worker > 0 ? (int)worker : 0, "cpu_percent",
                     percent_since(meter, totals.ticks), "memory_bytes",
                     (json_int_t)totals.bytes, "cpu_count", usable_processors());
}
