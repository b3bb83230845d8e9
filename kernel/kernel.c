#include "kernel/kernel.h"

#include "kernel/ask_host.h"
#include "kernel/content/kernel_info.h"
#include "kernel/place/claim.h"
#include "kernel/relay.h"
#include "kernel/sandbox_owner.h"

static void
guess_python(struct kernel *kernel)
{
    struct error err;
    AUTO(mem) char *python = claim_find_python(&err);

    kernel->python_version = python ? kernel_info_guess_python(python) : xstrdup("3");
    kernel->has_debugger = python && kernel_info_guess_debugger(python);
}

static int
start_session(struct kernel *kernel, struct error *err)
{
    AUTO(signer) struct signer *signer = NULL;

    if (signer_new(&signer, kernel->connection->signature_scheme,
                   slice_of(kernel->connection->key), err) < 0)
        return error_wrap(err, "connection file");
    return session_init(&kernel->session, &signer, err);
}

static void
on_answer(void *context, struct slice value, json_int_t question)
{
    sandbox_input(((struct kernel *)context)->sandbox, value, question);
}

/* Parts that know others, and not the kernel. */
static void
connect_parts(struct kernel *kernel)
{
    kernel->input = (struct input){.socket = kernel->channels.sockets[CHANNEL_STDIN],
                                   .session = &kernel->session,
                                   .replay = kernel->replay,
                                   .on_answer = on_answer,
                                   .context = kernel};
    kernel->outputs_comms.archive = &kernel->archive;
    kernel->outputs_comms.publisher = &kernel->publisher;
    kernel->outputs_comms.sandbox = kernel->sandbox;
}

int
kernel_new(struct kernel **out, const struct options *options,
           struct connection *connection, struct error *err)
{
    AUTO(kernel) struct kernel *kernel = xcalloc(1, sizeof(*kernel));

    kernel->options = options;
    kernel->connection = connection;
    kernel->signals.fd = -1;
    shell_init(&kernel->shell);
    execution_init(&kernel->execution);
    debug_init(&kernel->debug);
    subshell_init(&kernel->subshells);
    beside_init(&kernel->besides);
    outputs_comm_init(&kernel->outputs_comms);
    kernel->replay = replay_new();
    kernel->loop = zloop_new();
    carrying_init(kernel);
    kernel->reach = (struct reach)REACH_INIT;
    zloop_set_nonstop(kernel->loop, true); /* signals come by signalfd */
    /* Bind first: a client that connects too early tries again only 100 ms later. */
    if (channels_bind(&kernel->channels, connection, err) < 0 ||
        start_session(kernel, err) < 0 ||
        publish_init(&kernel->publisher, &kernel->session,
                     kernel->channels.sockets[CHANNEL_IOPUB], err) < 0 ||
        heartbeat_start(&kernel->heartbeat, &kernel->channels, err) < 0 ||
        inspector_start(&kernel->inspector, err) < 0 || outputs_start(kernel, err) < 0)
        return -1;
    const struct ask_host host = ask_host_make(kernel);
    ask_init(&kernel->ask, &host, kernel->loop);
    guess_python(kernel);
    const struct sandbox_owner owner = sandbox_owner_make(kernel);
    struct place_spec place = options->place;
    place.gke = &options->gke;
    kernel->sandbox = sandbox_new(kernel->loop, &place, &owner);
    connect_parts(kernel);
    *out = TAKE(kernel);
    return 0;
}

/* The order matters: sockets close, after sending what is left, before the objects that
 * they use. */
void
kernel_free(struct kernel *kernel)
{
    if (!kernel)
        return;
    timer_cancel(&kernel->start);
    parent_poller_stop(&kernel->parent_poller);
    patience_release(&kernel->patience);
    shutdown_release(&kernel->shutdown);
    inspector_stop(&kernel->inspector);
    archive_stop(&kernel->archive);
    outputs_comm_release(&kernel->outputs_comms);
    ask_release(&kernel->ask);
    sandbox_free(kernel->sandbox);
    reach_release(&kernel->reach);
    carrying_release(&kernel->carrying);
    shell_release(&kernel->shell);
    execution_release(&kernel->execution);
    idleness_end(kernel);
    takeover_release(&kernel->takeover);
    debug_release(&kernel->debug);
    beside_release(&kernel->besides);
    subshell_release(&kernel->subshells);
    provenance_release(&kernel->provenance);
    heartbeat_stop(&kernel->heartbeat);
    channels_release(&kernel->channels);
    publish_release(&kernel->publisher);
    session_release(&kernel->session);
    replay_free(kernel->replay);
    signals_release(&kernel->signals);
    zloop_destroy(&kernel->loop);
    free(kernel->python_version);
    free(kernel);
}

static int
on_iopub(zloop_t *loop UNUSED, zmq_pollitem_t *item UNUSED, void *context)
{
    struct kernel *kernel = context;

    publish_admit(&kernel->publisher);
    return 0;
}

static int
on_control(zloop_t *loop UNUSED, zmq_pollitem_t *item UNUSED, void *context)
{
    struct kernel *kernel = context;
    struct request *request =
        request_receive(kernel->channels.sockets[CHANNEL_CONTROL], CHANNEL_CONTROL,
                        kernel->session.signer, kernel->replay);

    if (!request)
        return 0;
    request->type = dispatch_find(request->message.type, CHANNEL_CONTROL);
    if (request->type && request->type->kind == MESSAGE_IS_ASIDE)
        debug_push(kernel, request);
    else if (request->type && messages_is_for_worker(request->type))
        shell_push(kernel, request);
    else
        dispatch(kernel, request);
    return 0;
}

/* Slow subscribers have read enough: go on. */
static int
on_outbox_room(zloop_t *loop UNUSED, zmq_pollitem_t *item UNUSED, void *context)
{
    struct kernel *kernel = context;

    outbox_clear_fd(kernel->publisher.outbox);
    relay_go_on(kernel);
    return 0;
}

static int
on_inspected(zloop_t *loop UNUSED, zmq_pollitem_t *item UNUSED, void *context)
{
    relay_inspected(context);
    return 0;
}

static int
on_archive(zloop_t *loop UNUSED, zmq_pollitem_t *item UNUSED, void *context)
{
    outputs_take_news(context);
    return 0;
}

static void
on_interrupt(void *context)
{
    interrupt_current(context);
}

static void
on_terminate(void *context)
{
    shutdown_begin(context, 0);
}

static void
on_parent_gone(void *context)
{
    shutdown_leave(context, 1);
}

static void
on_start(void *context)
{
    execution_claim(context);
}

static void
watch(struct kernel *kernel, void *socket, int fd, zloop_fn *handler)
{
    zmq_pollitem_t item = {.socket = socket, .fd = fd, .events = ZMQ_POLLIN};

    zloop_poller(kernel->loop, &item, handler, kernel);
}

int
kernel_run(struct kernel *kernel)
{
    const struct signals_listener listener = {on_interrupt, on_terminate, kernel};
    struct error err;

    watch(kernel, kernel->channels.sockets[CHANNEL_CONTROL], 0, on_control); /* first */
    if (signals_start(&kernel->signals, kernel->loop, &listener, &err) < 0)
        return 1;
    watch(kernel, kernel->channels.sockets[CHANNEL_IOPUB], 0, on_iopub);
    shell_start(kernel);
    input_start(&kernel->input, kernel->loop);
    watch(kernel, NULL, outbox_fd(kernel->publisher.outbox), on_outbox_room);
    watch(kernel, NULL, kernel->inspector.fd, on_inspected);
    if (kernel->archive.is_running)
        watch(kernel, NULL, kernel->archive.fd, on_archive);
    parent_poller_start(&kernel->parent_poller, kernel->loop, on_parent_gone, kernel);
    publish_admit(&kernel->publisher);
    publish_status(&kernel->publisher, "starting", SLICE(""));
    timer_set(&kernel->start, kernel->loop, 0, on_start, kernel);
    zloop_start(kernel->loop);
    return kernel->shutdown.exit_status;
}
