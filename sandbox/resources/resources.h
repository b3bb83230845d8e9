/*
 * resources: what one sandbox may use, and what happens when it wants more.
 *
 * Memory (memory.h) and processor time are kept by control groups where they can be
 * had; wall time, of a cell and of the sandbox, by timers. Processes, open files and
 * scratch are the sandbox's own limits (isolate/); what goes to disks is watched
 * (writes.h). A request of a worker runs only once
 * that worker is inside its groups.
 */
#pragma once

#include <jansson.h>
#include <sys/types.h>

#include "sandbox/resources/cgroup_mover.h"
#include "sandbox/resources/memory.h"

/* What all sandboxes of a daemon share. */
struct resources_host {
    struct loop *loop;
    const struct cgroups *cgroups;
    struct cgroup_mover *mover;
    bool has_one_sandbox; /* and never more */
};

enum resource_alarm {
    ALARM_MEMORY, /* the code gets MemoryError */
    ALARM_TIME,   /* TimeoutError */
    ALARM_WRITES, /* OSError */
};

struct resources_ops {
    void (*on_entered)(void *context); /* the worker that was named is inside */
    void (*alarm)(void *context, enum resource_alarm alarm);
    void (*kill)(void *context, enum resource_alarm why); /* the worker */
    void (*notice)(void *context, const char *message);
    void (*on_time_up)(void *context, const char *message); /* of the sandbox */
    pid_t (*worker)(void *context);                         /* 0: there is none now */
    bool (*is_worker)(void *context, pid_t pid);            /* or its checkpoint */
    bool (*give_way)(void *context); /* checkpoints end, if that helps */
    void *context;
};

struct resources;

/* claimed: the claim's `resources`, checked. ERR_ISOLATION: a limit that was asked for
 * cannot be had. */
int resources_new(struct resources **out, const struct resources_host *host,
                  const char *id, const json_t *claimed,
                  const struct resources_ops *ops, struct error *err) MUST_CHECK;
void resources_free(struct resources *resources); /* when its processes are gone */

unsigned resources_checkpoints(const struct resources *resources);
bool resources_is_memory_half_used(const struct resources *resources);
uint64_t resources_memory_limit(const struct resources *resources);
bool resources_are_metered(const struct resources *resources); /* memory is */

void resources_init_spawned(struct resources *resources, pid_t init);
/* Its scratch file system, taken; -1: there is none. */
void resources_init_ready(struct resources *resources, int scratch);
void resources_init_gone(struct resources *resources);
void resources_worker_started(struct resources *resources, pid_t worker);
void resources_request_started(struct resources *resources);
void resources_request_ended(struct resources *resources);

/* Of the worker that has died just now. */
struct memory_verdict resources_judge(struct resources *resources);

json_t *resources_describe(const struct resources *resources); /* new reference */

static inline void
auto_resources(struct resources **resources)
{
    resources_free(*resources);
}
