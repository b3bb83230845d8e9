/* What is done to a worker that exceeds a limit, and to a sandbox whose time is up. */
#include "sandbox/life/supervisor_state.h"

enum {
    /* What a worker takes as MemoryError, TimeoutError and OSError; real-time signals,
     * which nothing else sends. cellpod/interrupts.py has the same numbers. */
    SIGNAL_MEMORY = 37,
    SIGNAL_TIME = 38,
    SIGNAL_WRITES = 39,
};

static void
on_worker_entered(void *context)
{
    struct supervisor *s = context;

    if (s->worker)
        worker_admit(s->worker);
}

static void
alarm_worker(void *context, enum resource_alarm alarm)
{
    static const int signals[] = {
        [ALARM_MEMORY] = SIGNAL_MEMORY,
        [ALARM_TIME] = SIGNAL_TIME,
        [ALARM_WRITES] = SIGNAL_WRITES,
    };
    struct supervisor *s = context;

    if (!s->worker || !worker_is_ready(s->worker))
        return;
    worker_signal(s->worker, signals[alarm]);
    s->spec.host->tally->memory_brakes += alarm == ALARM_MEMORY;
}

static void
kill_worker(void *context, enum resource_alarm why)
{
    static const enum worker_end ends[] = {
        [ALARM_MEMORY] = END_MEMORY,
        [ALARM_TIME] = END_TIME,
        [ALARM_WRITES] = END_WRITES,
    };
    struct supervisor *s = context;

    if (s->worker)
        worker_kill(s->worker, ends[why]);
}

static void
give_notice(void *context, const char *message)
{
    struct supervisor *s = context;

    s->spec.ops.on_notice(s->spec.ops.context, NULL, message);
}

static void
on_time_up(void *context, const char *message)
{
    supervisor_fail(context, "resources", message);
}

static pid_t
worker(void *context)
{
    struct supervisor *s = context;

    return s->worker ? worker_pid(s->worker) : 0;
}

static bool
is_worker(void *context, pid_t pid)
{
    struct supervisor *s = context;

    return s->worker && worker_is_process(s->worker, pid);
}

static bool
give_way(void *context)
{
    struct supervisor *s = context;

    return s->worker && worker_give_way(s->worker);
}

int
supervisor_limit(struct supervisor *s, struct error *err)
{
    const struct resources_ops ops = {on_worker_entered, alarm_worker, kill_worker,
                                      give_notice,       on_time_up,   worker,
                                      is_worker,         give_way,     s};

    return resources_new(&s->resources, &s->spec.host->resources, s->spec.id,
                         s->spec.claim->resources, &ops, err);
}
