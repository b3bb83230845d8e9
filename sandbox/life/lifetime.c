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
on_kept_too_long(void *context)
{
    end(context, "owner",
        "the sandbox has ended: its kernel has ended, and no other took it over in "
        "time "
        "(keep_minutes)");
}

static void
forget_owner(struct lifetime *l)
{
    loop_watch_stop(l->loop, &l->owner_watch);
    auto_fd(&l->owner);
    l->owner = -1;
}

static void
on_owner_gone(void *context, uint32_t events UNUSED)
{
    struct lifetime *l = context;
    const json_int_t seconds = l->ops.keeps(l->ops.context);

    if (!seconds) {
        end(l, "owner", "the sandbox has ended: the process that claimed it has ended");
        return;
    }
    forget_owner(l);
    l->kept_since_ms = loop_now_ms();
    l->kept_until_ms = l->kept_since_ms + seconds * 1000;
    loop_timer_set(l->loop, &l->kept, seconds * 1000);
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
    const int owner = process_open_peer(socket, err);

    if (owner < 0)
        return -1;
    forget_owner(l);
    loop_timer_cancel(l->loop, &l->kept);
    l->kept_since_ms = l->kept_until_ms = 0;
    l->owner = owner;
    l->owner_watch.fd = l->owner;
    return loop_watch_start(l->loop, &l->owner_watch, EPOLLIN, err);
}

void
lifetime_look(struct lifetime *l)
{
    if (l->owner >= 0 && !process_is_alive(l->owner))
        on_owner_gone(l, EPOLLIN);
}

bool
lifetime_is_kept(const struct lifetime *l)
{
    return l->kept_until_ms != 0;
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
    l->kept = (struct loop_timer){.on_due = on_kept_too_long, .context = l};
    l->owner_watch = (struct loop_watch){.on_ready = on_owner_gone, .context = l};
    lifetime_touch(l);
}

void
lifetime_stop(struct lifetime *l)
{
    loop_timer_cancel(l->loop, &l->ttl);
    loop_timer_cancel(l->loop, &l->idle);
    loop_timer_cancel(l->loop, &l->kept);
    loop_watch_stop(l->loop, &l->owner_watch);
}

void
lifetime_release(struct lifetime *l)
{
    lifetime_stop(l);
    auto_fd(&l->owner);
}
