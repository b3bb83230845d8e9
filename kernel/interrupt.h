/*
 * interrupt: a request is interrupted by its client, a signal, or a new question.
 *
 * What waits for the sandbox ends at once. What has been posted is interrupted in the
 * worker, after sandboxd has said that it has it, and again if it had not begun.
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

/* What has been posted; a question's cell decides by itself when. */
void interrupt_worker(struct kernel *kernel);

/* It has not been delivered, though its request is the current one. */
void interrupt_try_again(struct kernel *kernel);
/* That request is over. */
void interrupt_forget(struct kernel *kernel);
