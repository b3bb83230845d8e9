#include "kernel/shell.h"

#include "common/limits.h"
#include "kernel/kernel.h"
#include "kernel/patience.h"

void
shell_init(struct shell *shell)
{
    STAILQ_INIT(&shell->queue);
}

void
shell_release(struct shell *shell)
{
    struct request *request;

    while ((request = STAILQ_FIRST(&shell->queue))) {
        STAILQ_REMOVE_HEAD(&shell->queue, link);
        request_free(request);
    }
}

static bool
has_room(const struct shell *shell)
{
    return shell->queued_bytes < LIMIT_SHELL_QUEUE_BYTES;
}

static void
queue(struct shell *shell, struct request *request)
{
    shell->queued_bytes += request->frames.bytes;
    STAILQ_INSERT_TAIL(&shell->queue, request, link);
}

/* False when nothing waited. */
static bool
receive(struct kernel *kernel)
{
    struct request *request =
        request_receive(kernel->channels.sockets[CHANNEL_SHELL], CHANNEL_SHELL,
                        kernel->session.signer, kernel->replay);

    if (!request)
        return false;
    request->type = dispatch_find(request->message.type, CHANNEL_SHELL);
    queue(&kernel->shell, request);
    patience_begin(kernel, request);
    return true;
}

static int on_readable(zloop_t *loop, zmq_pollitem_t *item, void *context);

static void
read_on_or_pause(struct kernel *kernel)
{
    struct shell *shell = &kernel->shell;
    zmq_pollitem_t item = {.socket = kernel->channels.sockets[CHANNEL_SHELL],
                           .events = ZMQ_POLLIN};

    if (shell->is_reading == has_room(shell))
        return;
    shell->is_reading = !shell->is_reading;
    if (shell->is_reading)
        zloop_poller(kernel->loop, &item, on_readable, kernel);
    else
        zloop_poller_end(kernel->loop, &item);
}

/* Whatever finishes a request while this runs leaves the next one to the loop here. */
static void
run(struct kernel *kernel)
{
    struct shell *shell = &kernel->shell;
    struct request *request;

    if (shell->is_running)
        return;
    shell->is_running = true;
    while (!shell->current && !shutdown_is_under_way(&kernel->shutdown) &&
           (request = STAILQ_FIRST(&shell->queue))) {
        STAILQ_REMOVE_HEAD(&shell->queue, link);
        shell->queued_bytes -= request->frames.bytes;
        shell->current = request;
        dispatch(kernel, request);
    }
    shell->is_running = false;
    read_on_or_pause(kernel);
}

static int
on_readable(zloop_t *loop UNUSED, zmq_pollitem_t *item UNUSED, void *context)
{
    struct kernel *kernel = context;

    if (receive(kernel))
        run(kernel);
    return 0;
}

void
shell_start(struct kernel *kernel)
{
    read_on_or_pause(kernel);
}

void
shell_push(struct kernel *kernel, struct request *request)
{
    queue(&kernel->shell, request);
    patience_begin(kernel, request);
    run(kernel);
}

void
shell_hurry(struct kernel *kernel, struct request *request)
{
    struct shell *shell = &kernel->shell;

    STAILQ_REMOVE(&shell->queue, request, request, link);
    shell->queued_bytes -= request->frames.bytes;
    request->is_hurried = true;
    dispatch(kernel, request);
}

void
shell_finished(struct kernel *kernel, struct request *request)
{
    if (request != kernel->shell.current)
        return;
    kernel->shell.current = NULL;
    run(kernel);
}

void
shell_abort(struct kernel *kernel)
{
    struct shell *shell = &kernel->shell;
    struct request *request;

    while (has_room(shell) && receive(kernel))
        continue;
    STAILQ_FOREACH (request, &shell->queue, link)
        if (request->type && request->type->id == MESSAGE_EXECUTE_REQUEST)
            request->is_aborted = true;
}
