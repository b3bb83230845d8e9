/*
 * waiters: who waits until a sandbox is ready, or never will be.
 */
#pragma once

#include "common/error.h"

struct sandbox;

struct waiters {
    struct waiter *first;
};

/* Embedded in what waits. err: never will be; else NULL. */
struct waiter {
    void (*on_ready)(void *context, struct sandbox *sandbox, const struct error *err);
    void *context;
    struct waiters *list; /* NULL when it does not wait */
    struct waiter *next;
};

void waiters_add(struct waiters *waiters, struct waiter *waiter);
void waiters_tell(struct waiters *waiters, struct sandbox *sandbox,
                  const struct error *err); /* all of them, once */
void waiters_cancel(struct waiter *waiter); /* also when it does not wait */
