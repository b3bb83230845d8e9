/*
 * call: one HTTP request to our sandbox, retried until it is answered.
 *
 * When the connection breaks before the answer, or no answer comes for long, the
 * request is sent again: sandboxd recognises it, so nothing happens twice
 * (docs/sandbox-protocol.md section 5). A call may outlive its sandbox: `done` is still
 * called exactly once, with the answer or without one.
 */
#pragma once

#include <sys/queue.h>

#include "common/timer.h"
#include "common/trace.h"
#include "kernel/client/sandbox.h"
#include "kernel/client/sandbox_link.h"

struct call;

struct call_queue {
    zloop_t *loop;
    LIST_HEAD(, call) list;
};

typedef void call_done_fn(struct call *call, const struct http_result *result);

/* What to send. path is below /v1/sandboxes/ID; the strings are constants of the
 * program, or the call's own `id`. */
struct call_spec {
    const char *method, *path, *content_type;
    struct buffer *body;          /* its bytes are taken; NULL: none */
    long timeout_ms;              /* of one try */
    int64_t tries_for_ms;         /* no try begins later */
    size_t max_bytes;             /* of the answer; 0: LIMIT_HTTP_BODY */
    const struct trace_id *trace; /* NULL or none: it is not told */
};

struct call {
    LIST_ENTRY(call) link;
    struct call_queue *all;
    struct sandbox_link to;
    struct call_spec spec;
    struct buffer body;
    char *trace_header; /* owned; NULL: none */
    struct http_call *under_way;
    int64_t began;
    unsigned retries;
    bool is_last_try;
    struct timer next_try;

    call_done_fn *done;
    struct sandbox *sandbox; /* from here on: for `done` */
    unsigned generation;     /* of the sandbox that it was for */
    char *id;                /* the request's; owned */
    union {
        sandbox_usage_fn *usage;
        sandbox_ended_fn *ended;
        sandbox_file_fn *file;
    };
    void *context;
};

void call_queue_init(struct call_queue *all, zloop_t *loop);

/* The caller fills in what `done` needs, then sends. */
struct call *call_new(struct call_queue *all, call_done_fn *done);
void call_send(struct call *call, const struct sandbox_link *link,
               const struct call_spec *spec);

/* The sandbox is gone; calls that are under way may still be answered. */
void call_queue_stop_trying(struct call_queue *all);
/* No answer can come any more: calls `done` of each call without an answer. */
void call_queue_end(struct call_queue *all);
