#include "kernel/shell.h"

#include "common/limits.h"
#include "kernel/kernel.h"
#include "kernel/patience.h"

enum {
    MOST_HANDED_OVER = 64, /* comm messages for a cell that may await them */
};

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

static bool
is_comm(const struct request *request)
{
    return request->type && request->type->kind == MESSAGE_IS_COMM;
}

static void
queue(struct shell *shell, struct request *request)
{
    shell->queued_bytes += request->frames.bytes;
    shell->comms += is_comm(request);
    STAILQ_INSERT_TAIL(&shell->queue, request, link);
}

static void
unqueue(struct shell *shell, struct request *request)
{
    STAILQ_REMOVE(&shell->queue, request, request, link);
    shell->comms -= is_comm(request);
}

static struct request *
take_comm(struct shell *shell)
{
    struct request *request;

    if (!shell->comms)
        return NULL;
    STAILQ_FOREACH (request, &shell->queue, link)
        if (is_comm(request))
            break;
    unqueue(shell, request);
    return request;
}

static bool
may_await(const struct kernel *kernel)
{
    const struct execution *execution = &kernel->execution;

    return execution->state == EXECUTION_RUNNING && !execution->is_ask &&
           request_is_cell(execution->request);
}

/* Comm messages are the main thread's to see while a cell runs there, which may await
 * them: as they came. Until they are done they take their share of the room. */
static void
hand_over(struct kernel *kernel)
{
    struct request *request;

    while (may_await(kernel) && kernel->besides.of_main < MOST_HANDED_OVER &&
           (request = take_comm(&kernel->shell))) {
        request->is_beside = true;
        dispatch(kernel, request);
    }
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
    if (outputs_comm_is_for(&kernel->outputs_comms, request)) {
        request->is_for_journal = true;
        dispatch(kernel, request);
        return true;
    }
    if (subshell_take(kernel, request))
        return true;
    queue(&kernel->shell, request);
    patience_begin(kernel, request);
    hand_over(kernel);
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
    while (!shell->current && !kernel->besides.of_main &&
           !shutdown_is_under_way(&kernel->shutdown) &&
           (request = STAILQ_FIRST(&shell->queue))) {
        unqueue(shell, request);
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

    unqueue(shell, request);
    shell->queued_bytes -= request->frames.bytes;
    request->is_hurried = true;
    dispatch(kernel, request);
}

void
shell_finished(struct kernel *kernel, struct request *request)
{
    if (request->is_beside)
        shell_dequeued(kernel, request);
    if (request != kernel->shell.current)
        return;
    kernel->shell.current = NULL;
    run(kernel);
}

void
shell_go_on(struct kernel *kernel)
{
    hand_over(kernel);
    run(kernel);
}

void
shell_queued(struct kernel *kernel, const struct request *request)
{
    kernel->shell.queued_bytes += request->frames.bytes;
}

void
shell_dequeued(struct kernel *kernel, const struct request *request)
{
    kernel->shell.queued_bytes -= request->frames.bytes;
    read_on_or_pause(kernel);
}

void
shell_drain(struct kernel *kernel)
{
    while (has_room(&kernel->shell) && receive(kernel))
        continue;
}

void
shell_abort(struct kernel *kernel)
{
    struct shell *shell = &kernel->shell;
    struct request *request;

    shell_drain(kernel);
    STAILQ_FOREACH (request, &shell->queue, link)
        if (request->type && request->type->id == MESSAGE_EXECUTE_REQUEST)
            request->is_aborted = true;
}
