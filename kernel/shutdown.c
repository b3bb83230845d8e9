#include "kernel/shutdown.h"

#include "kernel/jupyter/json_scan.h"
#include "kernel/kernel.h"

#define LOG_COMPONENT "shutdown"
#include "common/log.h"

#define SANDBOX_PATIENCE_MS 500
#define CLUSTER_PATIENCE_MS 4000 /* a claim is to be deleted; clients wait for 5 s */
#define REPLY_PATIENCE_MS   500

static void
end_loop(void *context)
{
    struct kernel *kernel = context;

    timer_end_loop(kernel->loop);
}

void
shutdown_begin(struct kernel *kernel, int exit_status)
{
    if (kernel->shutdown.is_under_way)
        return;
    log_info("begin status=%d", exit_status);
    kernel->shutdown.is_under_way = true;
    kernel->shutdown.exit_status = exit_status;
    /* Before this process ends, what it would leave to the next one must be gone. */
    bool is_far =
        kernel->options->place.type == &place_gke || kernel->takeover.is_keeping;
    timer_set(&kernel->shutdown.timer, kernel->loop,
              is_far ? CLUSTER_PATIENCE_MS : SANDBOX_PATIENCE_MS, end_loop, kernel);
    ask_end(&kernel->ask);
    sandbox_end(kernel->sandbox, end_loop, kernel);
}

/* Nothing has run that the next kernel could want. */
static bool
is_worth_nothing(const struct kernel *kernel)
{
    return !kernel->takeover.is_keeping ||
           (!*kernel->execution.last_cell && kernel->takeover.state == TAKEOVER_NONE);
}

void
shutdown_leave(struct kernel *kernel, int exit_status)
{
    if (kernel->shutdown.is_under_way || is_worth_nothing(kernel)) {
        shutdown_begin(kernel, exit_status);
        return;
    }
    log_info("leave status=%d", exit_status);
    kernel->shutdown.is_under_way = true;
    kernel->shutdown.exit_status = exit_status;
    timer_set(&kernel->shutdown.timer, kernel->loop, 0, end_loop, kernel);
}

static void
begin_after_reply(void *context)
{
    shutdown_begin(context, 0);
}

void
shutdown_after_reply(struct kernel *kernel)
{
    if (!kernel->shutdown.is_under_way && !timer_is_set(&kernel->shutdown.timer))
        timer_set(&kernel->shutdown.timer, kernel->loop, REPLY_PATIENCE_MS,
                  begin_after_reply, kernel);
}

void
shutdown_release(struct shutdown *shutdown)
{
    timer_cancel(&shutdown->timer);
}

/* The reply goes out on the request's channel, and on iopub for all other clients,
 * there with its own header. */
int
shutdown_handle(struct kernel *kernel, struct request *request,
                struct error *err UNUSED)
{
    bool restart = json_scan_is_true(request_content(request), "restart", false);
    struct slice content = restart ? SLICE("{\"status\":\"ok\",\"restart\":true}")
                                   : SLICE("{\"status\":\"ok\",\"restart\":false}");

    dispatch_reply(kernel, request, content, SLICE(""));
    publish(&kernel->publisher, &(struct outgoing){.type = "shutdown_reply",
                                                   .parent = request_header(request),
                                                   .content = content});
    shutdown_begin(kernel, 0);
    return 0;
}
