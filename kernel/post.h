/*
 * post: what is asked of our sandbox, until it is answered.
 *
 * A post may outlive the sandbox that it was for: its answer, or the word that there is
 * none, comes exactly once all the same.
 */
#pragma once

#include <sys/queue.h>

#include "kernel/sandbox.h"
#include "kernel/sandbox_link.h"

struct post;
LIST_HEAD(posts, post);

typedef void post_done_fn(struct post *post, const struct http_result *result);

struct post {
    LIST_ENTRY(post) link;
    post_done_fn *done;
    struct sandbox *sandbox; /* from here on: for `done` */
    unsigned generation;     /* of the sandbox that it was for */
    char *id;                /* the request's; owned */
    union {
        sandbox_usage_fn *usage;
        sandbox_ended_fn *ended;
    };
    void *arg;
};

/* What to send. path is below /v1/sandboxes/ID; the body's bytes are taken. */
struct post_call {
    const char *method, *path, *content_type;
    struct buffer *body; /* NULL: none */
    long timeout_ms;
};

/* The caller fills in what `done` needs, then sends. */
struct post *post_new(struct posts *all, post_done_fn *done);
void post_send(struct post *post, const struct sandbox_link *link,
               const struct post_call *call);

/* When no answer can come any more: each hears that there is none. */
void posts_end(struct posts *all);
