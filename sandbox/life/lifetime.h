/*
 * lifetime: until when a sandbox lives.
 *
 * Its time to live, how long nobody may use it, and the process that it is for: what
 * comes first ends it.
 */
#pragma once

#include "sandbox/life/claim.h"
#include "sandbox/loop.h"

struct lifetime_ops {
    bool (*is_busy)(void *context); /* then it is not idle */
    /* Once. cause: a fixed word; message: one sentence. */
    void (*on_over)(void *context, const char *cause, const char *message);
    void *context;
};

struct lifetime {
    struct loop *loop;
    struct lifetime_ops ops;
    struct loop_timer ttl, idle;
    int64_t ttl_ms, idle_ms, used_ms;
    char expires_at[32]; /* of the ttl, in UTC; "": never */
    int owner;
    struct loop_watch owner_watch;
};

void lifetime_init(struct lifetime *lifetime, struct loop *loop,
                   const struct lifetime_ops *ops);
void lifetime_stop(struct lifetime *lifetime); /* it ends, or has ended: no on_over */
void lifetime_release(struct lifetime *lifetime);

/* Its clocks start anew. */
void lifetime_extend(struct lifetime *lifetime, const struct extension *extension);
/* It ends when the process at the other end of the socket does. */
int lifetime_set_owner(struct lifetime *lifetime, int socket,
                       struct error *err) MUST_CHECK;
void lifetime_touch(struct lifetime *lifetime); /* it is used */

pid_t lifetime_owner(const struct lifetime *lifetime); /* -1: none, or gone */
