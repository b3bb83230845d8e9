/* Input: a stream of events, as an evil sandboxd or sandbox may send it, while a cell
 * with the id x1 runs in a kernel whose sockets are real and have no peers, and a cell
 * with the id x2 in a subshell. */
#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "kernel/kernel.h"
#include "kernel/relay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char connection_text[] =
    "{\"transport\":\"tcp\",\"ip\":\"127.0.0.1\",\"shell_port\":0,\"iopub_port\":0,"
    "\"stdin_port\":0,\"control_port\":0,\"hb_port\":0,\"key\":\"k\"}";

/* Sockets are dear: one kernel for all inputs. */
static struct kernel *
the_kernel(void)
{
    static struct options options = {
        .place = {.type = &place_given,
                  .address.url = "http://localhost",
                  .address.unix_path = "/nonexistent/socket"}
    };
    static struct connection connection;
    static struct kernel *kernel;
    struct error err;

    log_configure("error,relay=none,shutdown=none");
    setenv("XDG_STATE_HOME", "/dev/null/state", 1); /* it keeps nothing */
    if (!kernel &&
        (connection_file_parse(slice_of(connection_text), &connection, &err) < 0 ||
         kernel_new(&kernel, &options, &connection, &err) < 0))
        abort();
    return kernel;
}

static struct request *
new_cell(struct kernel *kernel)
{
    static const struct slice frames[] = {
        SLICE("client"),
        WIRE_DELIMITER,
        SLICE(""),
        SLICE("{\"msg_id\":\"m\",\"msg_type\":\"execute_request\"}"),
        SLICE("{}"),
        SLICE("{}"),
        SLICE("{\"code\":\"1\",\"allow_stdin\":true}")};
    struct request *request = xcalloc(1, sizeof(*request));
    struct signer *unsigned_;
    struct error err;

    request->frames.count = 0;
    request->frames.slices = xcalloc(COUNT_OF(frames), sizeof(*frames));
    memcpy(request->frames.slices, frames, sizeof(frames));
    if (signer_new(&unsigned_, "hmac-sha256", SLICE(""), &err) < 0 ||
        wire_parse(request->frames.slices, COUNT_OF(frames), unsigned_,
                   &request->message, &err) < 0)
        abort();
    signer_free(unsigned_);
    request->channel = CHANNEL_SHELL;
    request->socket = kernel->channels.sockets[CHANNEL_SHELL];
    request->type = dispatch_find("execute_request", CHANNEL_SHELL);
    return request;
}

static void
begin_cell(struct kernel *kernel)
{
    struct execution *execution = &kernel->execution;

    parent_headers_free(execution->parents);
    execution->parents = parent_headers_new();
    execution->request = new_cell(kernel);
    execution_enter(execution, EXECUTION_WAITING);
    execution_enter(execution, EXECUTION_POSTING);
    execution_enter(execution, EXECUTION_RUNNING);
    execution->allows_stdin = true;
    kernel->shell.current = execution->request;
    parent_headers_add(execution->parents, true, request_header(execution->request),
                       execution->id);
}

static struct subshell *
the_subshell(struct kernel *kernel)
{
    struct request *request;
    struct error err;

    if (!STAILQ_FIRST(&kernel->subshells.list)) {
        request = new_cell(kernel);
        request->type = dispatch_find("create_subshell_request", CHANNEL_CONTROL);
        if (subshell_handle_create(kernel, request, &err) < 0)
            abort();
    }
    return STAILQ_FIRST(&kernel->subshells.list);
}

/* It waits for a sandbox, which never comes. */
static void
begin_cell_beside(struct kernel *kernel)
{
    struct request *request = new_cell(kernel);
    struct error err;

    request->is_beside = true;
    request->subshell = the_subshell(kernel);
    if (beside_handle(kernel, request, &err) < 0)
        abort();
}

static void
end_cell(struct kernel *kernel)
{
    while (beside_is_any(&kernel->besides))
        beside_refuse(kernel, "x2", "the end of input");
    if (kernel->execution.request)
        execution_fail(kernel, "End", "of input", "");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kernel *kernel = the_kernel();
    struct slice rest = {(const char *)data, size};

    begin_cell(kernel);
    begin_cell_beside(kernel);
    for (;;) {
        AUTO(envelope) struct envelope event = ENVELOPE_INIT;
        struct error err;
        ssize_t used = envelope_parse(rest, &event, NULL, &err);
        if (used <= 0)
            break;
        relay_event(kernel, &event);
        rest = (struct slice){rest.data + used, rest.len - (size_t)used};
    }
    end_cell(kernel);
    return 0;
}
