#include "sandbox/drain.h"

#define LOG_COMPONENT "drain"
#include "common/log.h"

enum {
    LOOK_MS = 500,
    ABSENT_MS = 5000, /* longer than a client takes whose connection a router has cut */
};

static void
end(struct drain *drain, const char *why)
{
    drain_stop(drain);
    drain->on_over(drain->context, why);
}

static void
on_grace_over(void *context)
{
    end(context, "the grace is over");
}

static void
on_look(void *context)
{
    struct drain *drain = context;

    if (pool_is_attended(drain->pool))
        drain->attended_ms = loop_now_ms();
    if (loop_now_ms() - drain->attended_ms >= ABSENT_MS)
        end(drain, "nobody uses the sandbox any more");
    else
        loop_timer_set(drain->loop, &drain->look, LOOK_MS);
}

void
drain_init(struct drain *drain, struct loop *loop, struct pool *pool,
           void (*on_over)(void *context, const char *why), void *context)
{
    *drain = (struct drain){
        .loop = loop, .pool = pool, .on_over = on_over, .context = context};
    drain->grace = (struct loop_timer){.on_due = on_grace_over, .context = drain};
    drain->look = (struct loop_timer){.on_due = on_look, .context = drain};
}

void
drain_start(struct drain *drain, int64_t grace_ms)
{
    if (pool_count(drain->pool) == 0) {
        end(drain, "received a signal");
        return;
    }
    log_info("begins grace_ms=%lld", (long long)grace_ms);
    drain->is_on = true;
    drain->attended_ms = loop_now_ms();
    pool_warn(drain->pool, grace_ms);
    loop_timer_set(drain->loop, &drain->grace, grace_ms);
    loop_timer_set(drain->loop, &drain->look, LOOK_MS);
}

bool
drain_is_on(const struct drain *drain)
{
    return drain->is_on;
}

void
drain_stop(struct drain *drain)
{
    loop_timer_cancel(drain->loop, &drain->grace);
    loop_timer_cancel(drain->loop, &drain->look);
}
