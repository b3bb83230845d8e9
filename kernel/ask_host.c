#include "kernel/ask_host.h"

#include "kernel/kernel.h"
#include "kernel/relay.h"

static const char *
send_step(void *context, const char *type, struct slice content, bool is_cell)
{
    return execution_post_step(context, type, content, is_cell);
}

static void
interrupt_step(void *context)
{
    interrupt_worker(context);
}

static void
show_held(void *context, const struct envelope *event)
{
    struct kernel *kernel = context;

    relay_output(kernel, event, request_header(kernel->execution.request));
}

static void
end_asking(void *context, struct slice content)
{
    execution_end(context, content, SLICE(""));
}

static void
fail_asking(void *context, const char *ename, const char *message, const char *remedy,
            const json_t *above)
{
    struct kernel *kernel = context;

    execution_fail_with(kernel,
                        &(struct failure){.ename = ename,
                                          .message = message,
                                          .remedy = remedy,
                                          .execution_count = kernel->execution.count,
                                          .above = above});
}

struct ask_host
ask_host_make(struct kernel *kernel)
{
    return (struct ask_host){
        .context = kernel,
        .publisher = &kernel->publisher,
        .provenance = &kernel->provenance,
        .session = kernel->session.ident,
        .execution_count = &kernel->execution.count,
        .send = send_step,
        .interrupt_worker = interrupt_step,
        .show = show_held,
        .end = end_asking,
        .fail = fail_asking,
    };
}
