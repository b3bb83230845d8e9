/*
 * interrupt: a request is interrupted by its client, a signal, or a new question.
 *
 * A request that waits for the sandbox ends at once. One that has been posted is
 * interrupted in the worker, once sandboxd has confirmed that it has it, and again if
 * it had not begun.
 */
#pragma once

#include "common/timer.h"
#include "kernel/dispatch.h"

struct interrupt {
    struct timer timer; /* until it is tried again */
};

/* Whatever runs now, if anything does. */
void interrupt_current(struct kernel *kernel);
handler_fn interrupt_handle;

/* The request that has been posted; a question's cell decides itself when to call
 * this. */
void interrupt_worker(struct kernel *kernel);

/* The interrupt has not been delivered, though its request is the current one. */
void interrupt_try_again(struct kernel *kernel);
/* That request is over. */
void interrupt_forget(struct kernel *kernel);
