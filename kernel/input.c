#include "kernel/input.h"

#include "kernel/jupyter/json_scan.h"
#include "kernel/kernel.h"

#define LOG_COMPONENT "input"
#include "common/log.h"

static struct request *
receive(struct kernel *kernel)
{
    return request_receive(kernel->channels.sockets[CHANNEL_STDIN], CHANNEL_STDIN,
                           kernel->session.signer, kernel->replay);
}

/* An answer that came too late for the last question is none to this one. */
static void
drop_stale(struct kernel *kernel)
{
    struct request *stale;

    while ((stale = receive(kernel)))
        request_free(stale);
}

void
input_ask(struct kernel *kernel, const struct request *request,
          const struct envelope *event)
{
    drop_stale(kernel);
    kernel->input.is_asking = true;
    kernel->input.question = event->seq;
    session_send(&kernel->session, kernel->channels.sockets[CHANNEL_STDIN],
                 request->frames.slices, request->message.ident_count,
                 &(struct outgoing){.type = "input_request",
                                    .parent = request_header(request),
                                    .content = event->content},
                 NULL);
}

/* Its parent header differs from client to client, so it is not checked. */
static void
take_answer(struct kernel *kernel, const struct request *answer)
{
    struct slice value = json_scan_field(request_content(answer), "value");

    if (!kernel->input.is_asking || strcmp(answer->message.type, "input_reply") != 0) {
        log_info("dropped type=%.60s", answer->message.type);
        return;
    }
    kernel->input.is_asking = false;
    sandbox_input(kernel->sandbox,
                  json_scan_kind(value) == JSON_KIND_STRING ? value : SLICE("\"\""),
                  kernel->input.question);
}

static int
on_readable(zloop_t *loop UNUSED, zmq_pollitem_t *item UNUSED, void *context)
{
    struct kernel *kernel = context;
    AUTO(request) struct request *answer = receive(kernel);

    if (answer)
        take_answer(kernel, answer);
    return 0;
}

void
input_start(struct kernel *kernel)
{
    zmq_pollitem_t item = {.socket = kernel->channels.sockets[CHANNEL_STDIN],
                           .events = ZMQ_POLLIN};

    zloop_poller(kernel->loop, &item, on_readable, kernel);
}

void
input_end(struct input *input)
{
    input->is_asking = false;
}
