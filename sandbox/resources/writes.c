#include "sandbox/resources/writes.h"

#include "sandbox/resources/process_tree.h"

enum {
    IDLE_MS = 5000,
    SELDOM_MS = 500,
    OFTEN_MS = 20,
    SHARE_AFTER = 8, /* a cell that was told may write an eighth more, and this much, */
    BYTES_AFTER = 256 << 20, /* since memory takes it faster than a signal is heard */
};

#define DISK_BYTES_PER_MS ((uint64_t)4 << 20) /* faster than most */

/* What init has reaped is seen by root alone, and so falls out of the sum. A process
 * that is reaped while we look falls out for that look only. */
static bool
count(struct writes *w, uint64_t *total)
{
    uint64_t sum;
    bool is_shown = process_tree_written(w->root, &sum);

    if (sum >= w->seen) {
        w->seen = sum;
        w->dips = 0;
    } else if (++w->dips > 1) {
        w->gone += w->seen - sum;
        w->seen = sum;
        w->dips = 0;
    }
    *total = w->gone + w->seen;
    return is_shown;
}

/* The sooner, the nearer the limit is. */
static int64_t
wait_ms(const struct writes *w, uint64_t used)
{
    uint64_t left = used < w->limit ? (w->limit - used) / DISK_BYTES_PER_MS : 0;

    if (!w->is_busy && !used)
        return IDLE_MS;
    return left < OFTEN_MS ? OFTEN_MS : left < SELDOM_MS ? (int64_t)left : SELDOM_MS;
}

static void
on_look(void *context)
{
    struct writes *w = context;
    uint64_t total;

    count(w, &total);
    uint64_t used = total - w->begun;
    if (w->told_at && used > w->told_at + w->limit / SHARE_AFTER + BYTES_AFTER) {
        w->ops.kill(w->ops.context); /* and no look until the next cell */
        return;
    }
    if (!w->told_at && used > w->limit) {
        w->told_at = used;
        w->ops.tell(w->ops.context);
    }
    loop_timer_set(w->loop, &w->look, wait_ms(w, used));
}

void
writes_set_busy(struct writes *w, bool is_busy)
{
    w->is_busy = is_busy;
    if (!w->limit || !is_busy)
        return;
    w->told_at = 0;
    if (count(w, &w->begun))
        loop_timer_set(w->loop, &w->look, OFTEN_MS);
    else
        w->ops.fail(w->ops.context, "resources.cell_write_mb: this machine does not "
                                    "report what a process writes; remove it.");
}

void
writes_watch(struct writes *w, pid_t root)
{
    w->root = root;
    w->seen = w->gone = w->dips = 0;
    loop_timer_cancel(w->loop, &w->look);
}

void
writes_init(struct writes *w, struct loop *loop, uint64_t limit,
            const struct writes_ops *ops)
{
    *w = (struct writes){.loop = loop, .limit = limit, .ops = *ops};
    w->look = (struct loop_timer){.on_due = on_look, .context = w};
}

void
writes_release(struct writes *w)
{
    loop_timer_cancel(w->loop, &w->look);
}
