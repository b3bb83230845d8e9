#include "kernel/interrupt.h"

#include "kernel/kernel.h"

#define AGAIN_MS 50

static void
on_due(void *context)
{
    struct kernel *kernel = context;

    sandbox_interrupt(kernel->sandbox, kernel->execution.id);
}

void
interrupt_try_again(struct kernel *kernel)
{
    timer_set(&kernel->execution.interrupt.timer, kernel->loop, AGAIN_MS, on_due,
              kernel);
}

void
interrupt_forget(struct kernel *kernel)
{
    timer_cancel(&kernel->execution.interrupt.timer);
}

/* Tied to the request that runs now: sandboxd ignores it for any other. */
void
interrupt_worker(struct kernel *kernel)
{
    struct execution *execution = &kernel->execution;

    if (execution->state == EXECUTION_POSTING)
        execution_enter(execution, EXECUTION_STOPPING); /* it must not overtake */
    else if (execution->state == EXECUTION_RUNNING)
        sandbox_interrupt(kernel->sandbox, execution->id);
}

void
interrupt_current(struct kernel *kernel)
{
    struct execution *execution = &kernel->execution;

    if (takeover_interrupt(kernel) || carrying_interrupt(kernel))
        return;
    if (!execution->request)
        beside_interrupt(kernel);
    if (!execution->request || ask_interrupt(&kernel->ask))
        return;
    if (execution_is_posted(execution))
        interrupt_worker(kernel);
    else
        execution_fail(kernel, "KeyboardInterrupt",
                       "interrupted while waiting for the sandbox", "");
}

int
interrupt_handle(struct kernel *kernel, struct request *request,
                 struct error *err UNUSED)
{
    dispatch_reply(kernel, request, SLICE("{\"status\":\"ok\"}"), SLICE(""));
    /* A manager that restarts a kernel interrupts it first, by a message that may reach
     * us instead. */
    if (!session_outlived(&kernel->session, request_header(request)))
        interrupt_current(kernel);
    return 0;
}
