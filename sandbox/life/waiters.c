#include "sandbox/life/waiters.h"

void
waiters_add(struct waiters *waiters, struct waiter *waiter)
{
    waiter->list = waiters;
    waiter->next = waiters->first;
    waiters->first = waiter;
}

void
waiters_tell(struct waiters *waiters, struct sandbox *sandbox, const struct error *err)
{
    while (waiters->first) {
        struct waiter *waiter = waiters->first;
        waiters_cancel(waiter);
        waiter->on_ready(waiter->context, sandbox, err);
    }
}

void
waiters_cancel(struct waiter *waiter)
{
    if (!waiter->list)
        return;
    for (struct waiter **at = &waiter->list->first; *at; at = &(*at)->next)
        if (*at == waiter) {
            *at = waiter->next;
            break;
        }
    waiter->list = NULL;
}
