#include "sandbox/life/lifetime.h"

#include <stdio.h>
#include <time.h>

#include "sandbox/resources/process.h"

static void
end(struct lifetime *l, const char *cause, const char *message)
{
    lifetime_stop(l);
    l->ops.on_over(l->ops.context, cause, message);
}

static void
on_ttl(void *context)
{
    struct lifetime *l = context;
    char message[128];

    snprintf(message, sizeof(message),
             "the sandbox has ended: its time of %lld s is up (ttl_seconds)",
             (long long)l->ttl_ms / 1000);
    end(l, "ttl", message);
}

static void
end_idle(struct lifetime *l)
{
    char message[128];

    snprintf(message, sizeof(message),
             "the sandbox has ended: it was idle for %lld s (idle_seconds)",
             (long long)l->idle_ms / 1000);
    end(l, "idle", message);
}

static void
on_idle(void *context)
{
    struct lifetime *l = context;

    if (l->ops.is_busy(l->ops.context))
        lifetime_touch(l);
    int64_t left = l->used_ms + l->idle_ms - loop_now_ms();
    if (left > 0)
        loop_timer_set(l->loop, &l->idle, left);
    else
        end_idle(l);
}

static void
on_owner_gone(void *context, uint32_t events UNUSED)
{
    end(context, "owner",
        "the sandbox has ended: the process that claimed it has ended");
}

static void
set_ttl(struct lifetime *l, json_int_t seconds)
{
    time_t end = time(NULL) + (time_t)seconds;
    struct tm utc;

    strftime(l->expires_at, sizeof(l->expires_at), "%Y-%m-%dT%H:%M:%SZ",
             gmtime_r(&end, &utc));
    l->ttl_ms = seconds * 1000;
    loop_timer_set(l->loop, &l->ttl, l->ttl_ms);
}

static void
set_idle(struct lifetime *l, json_int_t seconds)
{
    l->idle_ms = seconds * 1000;
    loop_timer_set(l->loop, &l->idle, l->idle_ms);
}

void
lifetime_extend(struct lifetime *l, const struct extension *extension)
{
    if (extension->ttl_seconds)
        set_ttl(l, extension->ttl_seconds);
    if (extension->idle_seconds)
        set_idle(l, extension->idle_seconds);
}

int
lifetime_set_owner(struct lifetime *l, int socket, struct error *err)
{
    l->owner = process_open_peer(socket, err);
    if (l->owner < 0)
        return -1;
    l->owner_watch.fd = l->owner;
    return loop_watch_start(l->loop, &l->owner_watch, EPOLLIN, err);
}

void
lifetime_touch(struct lifetime *l)
{
    l->used_ms = loop_now_ms();
}

pid_t
lifetime_owner(const struct lifetime *l)
{
    return l->owner >= 0 ? process_pid(l->owner) : -1;
}

void
lifetime_init(struct lifetime *l, struct loop *loop, const struct lifetime_ops *ops)
{
    *l = (struct lifetime){.loop = loop, .ops = *ops, .owner = -1};
    l->ttl = (struct loop_timer){.on_due = on_ttl, .context = l};
    l->idle = (struct loop_timer){.on_due = on_idle, .context = l};
    l->owner_watch = (struct loop_watch){.on_ready = on_owner_gone, .context = l};
    lifetime_touch(l);
}

void
lifetime_stop(struct lifetime *l)
{
    loop_timer_cancel(l->loop, &l->ttl);
    loop_timer_cancel(l->loop, &l->idle);
    loop_watch_stop(l->loop, &l->owner_watch);
}

void
lifetime_release(struct lifetime *l)
{
    lifetime_stop(l);
    auto_fd(&l->owner);
}
