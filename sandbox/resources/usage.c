#include "sandbox/resources/usage.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>

#include "sandbox/loop.h"
#include "sandbox/resources/process_tree.h"

struct totals {
    uint64_t ticks, bytes;
};

/* utime and stime are the fields 14 and 15; the name, which is the second, may hold
 * anything, but nothing after its last parenthesis. */
static uint64_t
read_ticks(pid_t pid)
{
    char text[1024];
    char *at = strrchr(process_tree_read(pid, "stat", text, sizeof(text)), ')');

    for (int field = 2; at && field < 14; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return 0;
    uint64_t user = strtoull(at, &at, 10);
    return user + strtoull(at, NULL, 10);
}

static void
add_process(void *context, pid_t pid, pid_t parent UNUSED)
{
    struct totals *totals = context;

    totals->bytes += process_tree_memory_of(pid);
    totals->ticks += read_ticks(pid);
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
    struct totals totals = {.bytes = 0};
    char host[HOST_NAME_MAX + 1] = "";

    process_tree_walk(init, add_process, &totals);
    gethostname(host, sizeof(host) - 1);
    return json_pack("{s:s+, s:i, s:f, s:I, s:i}", "hostname", host, "", "pid",
                     worker > 0 ? (int)worker : 0, "cpu_percent",
                     percent_since(meter, totals.ticks), "memory_bytes",
                     (json_int_t)totals.bytes, "cpu_count", usable_processors());
}
