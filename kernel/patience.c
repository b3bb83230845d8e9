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

static int
on_timer(zloop_t *loop UNUSED, int timer UNUSED, void *arg)
{
    struct kernel *kernel = arg;
    const struct request *waiting = kernel->execution.request;

    if (sandbox_is_ready(kernel->sandbox))
        return 0;
    answer_queued(kernel);
    if (waiting && !kernel->execution.is_sent && has_waited(waiting))
        execution_fail(kernel, "SandboxError", "the sandbox is still starting", "");
    return 0;
}

void
patience_begin(struct kernel *kernel, struct request *request)
{
    request->came_ms = zclock_mono();
    if (is_question(request) && !sandbox_is_ready(kernel->sandbox))
        zloop_timer(kernel->loop, PATIENCE_MS, 1, on_timer, kernel);
}
