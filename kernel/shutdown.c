#include "kernel/shutdown.h"

#include "kernel/jupyter/json_fields.h"
#include "kernel/kernel.h"

#define LOG_COMPONENT "shutdown"
#include "common/log.h"

#define SANDBOX_PATIENCE_MS 500
#define CLUSTER_PATIENCE_MS 4000 /* a claim is to be deleted; clients wait for 5 s */
#define REPLY_PATIENCE_MS   500

static int
end_loop(zloop_t *loop UNUSED, int timer UNUSED, void *arg UNUSED)
{
    return -1;
}

static void
on_sandbox_ended(void *arg)
{
    struct kernel *kernel = arg;

    zloop_timer(kernel->loop, 0, 1, end_loop, NULL);
}

void
shutdown_begin(struct kernel *kernel, int exit_status)
{
    if (kernel->shutdown.is_under_way)
        return;
    log_info("begin status=%d", exit_status);
    kernel->shutdown = (struct shutdown){true, exit_status};
    bool is_far = kernel->options->place.type == &place_gke;
    zloop_timer(kernel->loop, is_far ? CLUSTER_PATIENCE_MS : SANDBOX_PATIENCE_MS, 1,
                end_loop, NULL);
    ask_end(&kernel->ask);
    sandbox_end(kernel->sandbox, on_sandbox_ended, kernel);
}

static int
begin_after_reply(zloop_t *loop UNUSED, int timer UNUSED, void *arg)
{
    shutdown_begin(arg, 0);
    return 0;
}

void
shutdown_after_reply(struct kernel *kernel)
{
    zloop_timer(kernel->loop, REPLY_PATIENCE_MS, 1, begin_after_reply, kernel);
}

/* On its channel, and for everybody else on iopub, there with a header of its own. */
int
shutdown_handle(struct kernel *kernel, struct request *request,
                struct error *err UNUSED)
{
    bool restart = json_field_is_true(request_content(request), "restart", false);
    struct slice content = restart ? SLICE("{\"status\":\"ok\",\"restart\":true}")
                                   : SLICE("{\"status\":\"ok\",\"restart\":false}");

    dispatch_reply(kernel, request, content, SLICE(""));
    publish(&kernel->publisher, &(struct outgoing){.type = "shutdown_reply",
                                                   .parent = request_header(request),
                                                   .content = content});
    shutdown_begin(kernel, 0);
    return 0;
}
