#include "kernel/patience.h"

#include "kernel/kernel.h"

#define PATIENCE_MS 700

static bool
is_question(const struct request *request)
{
    return strcmp(request->message.type, "is_complete_request") == 0;
}

static bool
has_waited(const struct request *request)
{
    return is_question(request) && zclock_mono() - request->came_ms >= PATIENCE_MS;
}

static void
answer_queued(struct kernel *kernel)
{
    struct request *request, *next;

    for (request = STAILQ_FIRST(&kernel->shell.queue); request; request = next) {
        next = STAILQ_NEXT(request, link);
        if (has_waited(request))
            shell_hurry(kernel, request);
    }
}

/* The question that has waited longest; NULL: none waits. */
static const struct request *
find_first(const struct kernel *kernel)
{
    const struct request *request = kernel->execution.request;

    if (request && !execution_is_posted(&kernel->execution) && is_question(request))
        return request;
    STAILQ_FOREACH (request, &kernel->shell.queue, link)
        if (is_question(request))
            return request;
    return NULL;
}

static void
on_timer(void *context)
{
    struct kernel *kernel = context;
    const struct request *waiting = kernel->execution.request;

    if (sandbox_is_ready(kernel->sandbox))
        return;
    answer_queued(kernel);
    if (waiting && !execution_is_posted(&kernel->execution) && has_waited(waiting))
        execution_fail(kernel, "SandboxError", "the sandbox is still starting", "");
    const struct request *next = find_first(kernel);
    if (next)
        timer_set(&kernel->patience.timer, kernel->loop,
                  next->came_ms + PATIENCE_MS - zclock_mono(), on_timer, kernel);
}

void
patience_begin(struct kernel *kernel, struct request *request)
{
    request->came_ms = zclock_mono();
    if (is_question(request) && !sandbox_is_ready(kernel->sandbox) &&
        !timer_is_set(&kernel->patience.timer))
        timer_set(&kernel->patience.timer, kernel->loop, PATIENCE_MS, on_timer, kernel);
}

void
patience_release(struct patience *patience)
{
    timer_cancel(&patience->timer);
}
