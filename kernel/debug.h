/*
 * debug: debug_request and debug_event: clients' debuggers and debugpy, which runs in
 * the sandbox. The kernel forwards.
 *
 * The requests do not wait for the cell that runs: they are not kernel->execution's.
 * They are worked on one after the other, as they came. Events are relayed only between
 * a client's `initialize` and the debugger's end. While a question is worked on, and
 * once a model's code has run, there is no debugger: what a client shows of variables
 * could be that code's (provenance.h).
 */
#pragma once

#include <sys/queue.h>

#include "common/envelope.h"
#include "kernel/dispatch.h"

struct debug_ask;

struct debug {
    STAILQ_HEAD(, request) waiting;
    size_t waiting_count;
    struct debug_ask *current; /* the one that is worked on, or NULL */
    bool is_running;           /* a loop of ours begins them */
    bool is_wanted;            /* a client has asked for a debugger */
    char *header;              /* of the last one, the events' parent; or NULL */
};

void debug_init(struct debug *debug);
void debug_release(struct debug *debug);

/* One that came; takes it. */
void debug_push(struct kernel *kernel, struct request *request);
handler_fn debug_handle; /* of the one whose turn it is */

/* The sandbox is ready for the one that waits for it. */
void debug_send(struct kernel *kernel);
/* sandboxd has, or has not (err), taken a request. */
void debug_sent(struct kernel *kernel, const char *id, const struct error *err);
/* True if this is the reply to it. */
bool debug_take_reply(struct kernel *kernel, const struct envelope *event);
/* True if it has this id: its reply cannot be relayed. */
bool debug_refuse(struct kernel *kernel, const char *id, const char *why);
void debug_take_event(struct kernel *kernel, const struct envelope *event,
                      struct slice parent);
/* Worker or sandbox has ended. */
void debug_end(struct kernel *kernel, const char *why);
