#include "sandbox/resources/victim.h"

#include <stdio.h>

#include "sandbox/resources/process_tree.h"

enum {
    MOST_DYING_MS = 2000
};

#define LOG_COMPONENT "memory"
#include "common/log.h"

static void
kill_process(pid_t root, uint64_t limit, const struct memory_ops *ops, pid_t pid)
{
    char name[64], text[160];

    process_tree_read(pid, "comm", name, sizeof(name));
    for (char *at = name; *at; at++) /* hostile, and ends with a newline */
        if (*at < ' ' || *at > '~')
            *at = *(at + 1) ? '?' : '\0';
    snprintf(text, sizeof(text),
             "A process that the cell had started (%.20s) was killed: the sandbox's "
             "memory, %.2f GiB, was used up.",
             name, (double)limit / (1 << 30));
    if (process_tree_kill(root, pid))
        ops->notice(ops->context, text);
}

/* Sockets and pipes: who holds them is not known. Without a notice where nothing but
 * the worker is there. */
static bool
kill_children(pid_t root, uint64_t limit, const struct memory_ops *ops)
{
    const struct process_tree_spared spared = {ops->is_worker, ops->context};
    char text[160];

    if (!process_tree_kill_all(root, &spared))
        return false;
    snprintf(
        text, sizeof(text),
        "What the cell had started was killed: what it held in sockets, pipes and the "
        "like has used up the sandbox's memory, %.2f GiB.",
        (double)limit / (1 << 30));
    ops->notice(ops->context, text);
    return true;
}

bool
victim_kill(pid_t root, uint64_t limit, const struct memory_ops *ops)
{
    struct process_tree_memory_of all = process_tree_memory(root);
    const bool is_worker = ops->is_worker(ops->context, all.pid);
    const bool is_one = all.largest > limit / 2;

    log_info("limit=%llu used=%llu largest=%d%s", (unsigned long long)limit,
             (unsigned long long)all.bytes, (int)all.pid, is_worker ? " (worker)" : "");
    if (all.pid && !is_worker && is_one) {
        kill_process(root, limit, ops, all.pid);
        return true;
    }
    return !(is_worker && is_one) && kill_children(root, limit, ops);
}

bool
victim_is_dying(pid_t root, int64_t *killed_ms)
{
    if (*killed_ms && loop_now_ms() - *killed_ms < MOST_DYING_MS &&
        process_tree_is_dying(root))
        return true;
    *killed_ms = 0;
    return false;
}
