#include "sandbox/resources/resources.h"

#include <errno.h>
#include <stdio.h>

#include "sandbox/resources/soft_mark.h"
#include "sandbox/resources/writes.h"

#define LOG_COMPONENT "resources"
#include "common/log.h"

enum {
    CELL_GRACE_MS = 10000, /* from TimeoutError to the worker's end */
    CHECKPOINTS_DEFAULT = 8,
};

struct resources {
    const struct resources_host *host;
    struct resources_ops ops;
    struct cgroup *group; /* NULL: there is none */
    struct memory *memory;
    uint64_t memory_limit;
    double cpus;
    int64_t cell_ms, life_ms; /* 0: for ever */
    unsigned checkpoints;     /* of the worker, after its cells */
    bool was_alarmed;         /* the cell that runs was told that its time is up */
    int scratch;              /* -1: there is none, or not yet */
    pid_t init, worker;       /* worker: that waits to be inside, or 0 */
    bool was_moved;           /* that worker, by itself */
    struct move move;
    struct writes writes;
    struct loop_timer cell, life;
};

/* --- memory --- */

static void
tell_memory(void *context)
{
    struct resources *r = context;

    r->ops.alarm(r->ops.context, ALARM_MEMORY);
}

static void
kill_for_memory(void *context)
{
    struct resources *r = context;

    r->ops.kill(r->ops.context, ALARM_MEMORY);
}

static void
pass_notice(void *context, const char *message)
{
    struct resources *r = context;

    r->ops.notice(r->ops.context, message);
}

static pid_t
worker(void *context)
{
    struct resources *r = context;

    return r->ops.worker(r->ops.context);
}

static bool
is_worker(void *context, pid_t pid)
{
    struct resources *r = context;

    return r->ops.is_worker(r->ops.context, pid);
}

static bool
give_way(void *context)
{
    struct resources *r = context;

    return r->ops.give_way(r->ops.context);
}

static void
start_memory(struct resources *r)
{
    const struct memory_ops ops = {
        tell_memory, kill_for_memory, pass_notice, worker, is_worker, give_way, r};

    memory_free(r->memory);
    r->memory = memory_new(r->host->loop, r->memory_limit, r->group, &ops);
    memory_watch(r->memory, r->init);
    memory_set_scratch(r->memory, r->scratch);
}

/* --- writes --- */

static void
tell_writes(void *context)
{
    struct resources *r = context;

    r->ops.alarm(r->ops.context, ALARM_WRITES);
}

static void
kill_for_writes(void *context)
{
    struct resources *r = context;

    r->ops.kill(r->ops.context, ALARM_WRITES);
}

static void
do_without_writes(void *context, const char *message)
{
    struct resources *r = context;

    r->ops.on_time_up(r->ops.context, message);
}

/* --- into the groups --- */

/* Memory is then metered; processor time was asked for, and would not be limited. */
static void
do_without_group(struct resources *r, const char *why)
{
    log_error("no control group: %s", why);
    if (r->cpus > 0)
        r->ops.on_time_up(r->ops.context,
                          "resources.cpus: the sandbox cannot be moved into its "
                          "control group; remove cpus.");
    cgroup_free(TAKE(r->group));
    start_memory(r);
}

static void
start_move(struct resources *r, pid_t pid)
{
    int fds[CGROUP_RESOURCES];
    int count = cgroup_open_procs(r->group, fds);

    cgroup_mover_start(r->host->mover, &r->move, fds, count, pid);
}

static void
look_after_worker(struct resources *r)
{
    if (!r->worker || r->move.number)
        return;
    if (r->group && !cgroup_holds(r->group, r->worker)) {
        if (!r->was_moved) {
            r->was_moved = true;
            start_move(r, r->worker);
            return;
        }
        do_without_group(r, "the worker did not stay in it");
    }
    r->worker = 0;
    r->ops.on_entered(r->ops.context);
}

static void
on_moved(void *context, int sys)
{
    struct resources *r = context;

    /* A process that has gone meanwhile is its owner's to notice. */
    if (sys && sys != ESRCH && r->group)
        do_without_group(r, strerror(sys));
    look_after_worker(r);
}

void
resources_init_spawned(struct resources *r, pid_t init)
{
    r->init = init;
    if (r->group && !r->move.number)
        start_move(r, init);
    memory_watch(r->memory, init);
    writes_watch(&r->writes, init);
}

static void
set_scratch(struct resources *r, int scratch)
{
    memory_set_scratch(r->memory, scratch);
    auto_fd(&r->scratch);
    r->scratch = scratch;
}

void
resources_init_ready(struct resources *r, int scratch)
{
    set_scratch(r, scratch);
}

void
resources_init_gone(struct resources *r)
{
    r->init = r->worker = 0;
    cgroup_mover_forget(r->host->mover, &r->move);
    memory_watch(r->memory, 0);
    set_scratch(r, -1);
    writes_watch(&r->writes, 0);
}

void
resources_worker_started(struct resources *r, pid_t worker)
{
    r->worker = worker;
    r->was_moved = false;
    look_after_worker(r);
}

/* --- time --- */

static void
on_cell_time(void *context)
{
    struct resources *r = context;

    if (r->was_alarmed) {
        r->ops.kill(r->ops.context, ALARM_TIME);
        return;
    }
    r->was_alarmed = true;
    r->ops.alarm(r->ops.context, ALARM_TIME);
    loop_timer_set(r->host->loop, &r->cell, CELL_GRACE_MS);
}

static void
on_life_time(void *context)
{
    struct resources *r = context;
    char text[160];

    snprintf(
        text, sizeof(text),
        "The sandbox has reached its lifetime of %lld seconds (resources.seconds).",
        (long long)r->life_ms / 1000);
    r->ops.on_time_up(r->ops.context, text);
}

void
resources_request_started(struct resources *r)
{
    memory_set_busy(r->memory, true);
    writes_set_busy(&r->writes, true);
    r->was_alarmed = false;
    if (r->cell_ms)
        loop_timer_set(r->host->loop, &r->cell, r->cell_ms);
}

void
resources_request_ended(struct resources *r)
{
    memory_set_busy(r->memory, false);
    writes_set_busy(&r->writes, false);
    loop_timer_cancel(r->host->loop, &r->cell);
}

/* --- life --- */

struct memory_verdict
resources_judge(struct resources *r)
{
    resources_request_ended(r);
    return memory_judge(r->memory);
}

unsigned
resources_checkpoints(const struct resources *r)
{
    return r->checkpoints;
}

bool
resources_is_memory_half_used(const struct resources *r)
{
    return memory_is_half_used(r->memory);
}

uint64_t
resources_memory_limit(const struct resources *r)
{
    return r->memory_limit;
}

bool
resources_are_metered(const struct resources *r)
{
    return !r->group;
}

json_t *
resources_describe(const struct resources *r)
{
    json_t *about =
        json_pack("{s:I, s:s}", "memory_mb", (json_int_t)(r->memory_limit >> 20),
                  "memory_by", r->group ? "cgroup" : "meter");

    if (r->cpus > 0)
        json_object_set_new(about, "cpus", json_real(r->cpus));
    return about;
}

static int64_t
whole(const json_t *claimed, const char *name)
{
    return json_integer_value(json_object_get(claimed, name));
}

static void
read_claim(struct resources *r, const json_t *claimed)
{
    r->memory_limit = (uint64_t)whole(claimed, "memory_mb") << 20;
    if (!r->memory_limit)
        r->memory_limit =
            cgroups_default_memory(r->host->cgroups, r->host->has_one_sandbox);
    r->cpus = json_number_value(json_object_get(claimed, "cpus"));
    r->cell_ms = 1000 * whole(claimed, "cell_seconds");
    r->life_ms = 1000 * whole(claimed, "seconds");
    const json_t *checkpoints = json_object_get(claimed, "checkpoints");
    r->checkpoints =
        checkpoints ? (unsigned)json_integer_value(checkpoints) : CHECKPOINTS_DEFAULT;
}

int
resources_new(struct resources **out, const struct resources_host *host, const char *id,
              const json_t *claimed, const struct resources_ops *ops, struct error *err)
{
    AUTO(resources) struct resources *r = xcalloc(1, sizeof(*r));

    *r = (struct resources){.host = host, .ops = *ops, .scratch = -1};
    r->move = (struct move){.on_done = on_moved, .context = r};
    r->cell = (struct loop_timer){.on_due = on_cell_time, .context = r};
    r->life = (struct loop_timer){.on_due = on_life_time, .context = r};
    read_claim(r, claimed);
    writes_init(
        &r->writes, host->loop, (uint64_t)whole(claimed, "cell_write_mb") << 20,
        &(struct writes_ops){tell_writes, kill_for_writes, do_without_writes, r});
    const struct cgroup_limits limits = {
        .memory_soft = soft_mark_first(r->memory_limit),
        .memory_hard = r->memory_limit,
        .cpus = r->cpus,
    };
    if (cgroup_new(&r->group, host->cgroups, id, &limits, err) < 0)
        return -1;
    start_memory(r);
    if (r->life_ms)
        loop_timer_set(host->loop, &r->life, r->life_ms);
    *out = TAKE(r);
    return 0;
}

void
resources_free(struct resources *r)
{
    if (!r)
        return;
    cgroup_mover_forget(r->host->mover, &r->move);
    loop_timer_cancel(r->host->loop, &r->cell);
    loop_timer_cancel(r->host->loop, &r->life);
    writes_release(&r->writes);
    memory_free(r->memory);
    auto_fd(&r->scratch);
    cgroup_free(r->group);
    free(r);
}
