/*
 * lifetime: until when a sandbox lives.
 *
 * Its time to live, how long nobody may use it, and the process that it is for: what
 * comes first ends it. It may outlive that process for a while, until another takes it
 * over.
 */
#pragma once

#include "sandbox/life/claim.h"
#include "sandbox/loop.h"

struct lifetime_ops {
    bool (*is_busy)(void *context); /* then it is not idle */
    /* Its process has ended: for how many seconds it waits for another; 0: not. */
    json_int_t (*keeps)(void *context);
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
    struct loop_timer kept;               /* set while it waits for another process */
    int64_t kept_since_ms, kept_until_ms; /* 0: it does not wait */
};

void lifetime_init(struct lifetime *lifetime, struct loop *loop,
                   const struct lifetime_ops *ops);
void lifetime_stop(struct lifetime *lifetime); /* it ends, or has ended: no on_over */
void lifetime_release(struct lifetime *lifetime);

/* Its clocks start anew. */
void lifetime_extend(struct lifetime *lifetime, const struct extension *extension);
/* It ends when the process at the other end of the socket does, which becomes its
 * only one. */
int lifetime_set_owner(struct lifetime *lifetime, int socket,
                       struct error *err) MUST_CHECK;
/* Its process may have ended a moment ago: that counts from now on. */
void lifetime_look(struct lifetime *lifetime);
bool lifetime_is_kept(const struct lifetime *lifetime); /* has none, and waits */
void lifetime_touch(struct lifetime *lifetime);         /* it is used */

pid_t lifetime_owner(const struct lifetime *lifetime); /* -1: none, or gone */
