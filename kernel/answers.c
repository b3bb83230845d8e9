#include "kernel/answers.h"

#include "kernel/content/connect.h"
#include "kernel/content/kernel_info.h"
#include "kernel/kernel.h"

int
answers_kernel_info(struct kernel *kernel, struct request *request,
                    struct error *err UNUSED)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    kernel_info_append(&content, kernel->python_version, kernel->has_debugger);
    dispatch_reply(kernel, request, buffer_slice(&content), SLICE(""));
    return 0;
}

int
answers_connect(struct kernel *kernel, struct request *request,
                struct error *err UNUSED)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    connect_append(&content, kernel->connection);
    dispatch_reply(kernel, request, buffer_slice(&content), SLICE(""));
    return 0;
}

int
answers_outputs_comm(struct kernel *kernel, struct request *request, struct error *err)
{
    return outputs_comm_handle(&kernel->outputs_comms, request, err);
}

/* --- usage --- */

/* Kernel and request, while sandboxd is asked. */
struct question {
    struct kernel *kernel;
    struct request *request;
};

static void
on_usage(void *context, struct slice of_sandbox)
{
    AUTO(mem) struct question *question = context;
    struct kernel *kernel = question->kernel;
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    usage_append(&content, &kernel->usage, of_sandbox);
    dispatch_reply(kernel, question->request, buffer_slice(&content), SLICE(""));
    dispatch_finish(kernel, question->request);
}

int
answers_usage(struct kernel *kernel, struct request *request, struct error *err UNUSED)
{
    struct question *question = xcalloc(1, sizeof(*question));

    *question = (struct question){kernel, request};
    sandbox_usage(kernel->sandbox, on_usage, question);
    return 0;
}
