/*
 * drain: the time that a pod which is to stop leaves to its cells.
 *
 * Kubernetes sends a pod SIGTERM when its node is drained, say, and kills it later. In
 * between its clients are told, cells go on, and nobody may claim. It is over with the
 * grace, or when no client has been there for a while. A sandbox that ends ends its
 * pod anyway.
 */
#pragma once

#include "sandbox/api/api.h"

struct drain {
    struct loop *loop;
    struct pool *pool;
    void (*on_over)(void *context, const char *why); /* once */
    void *context;
    struct loop_timer grace, look;
    int64_t attended_ms; /* when a client was there last */
    bool is_on;
};

void drain_init(struct drain *drain, struct loop *loop, struct pool *pool,
                void (*on_over)(void *context, const char *why), void *context);
void drain_start(struct drain *drain, int64_t grace_ms);
bool drain_is_on(const struct drain *drain);
void drain_stop(struct drain *drain); /* no on_over any more */
