#include "kernel/jupyter/input.h"

#include "kernel/jupyter/json_scan.h"

#define LOG_COMPONENT "input"
#include "common/log.h"

static struct request *
receive(const struct input *input)
{
    return request_receive(input->socket, CHANNEL_STDIN, input->session->signer,
                           input->replay);
}

/* An answer that came too late for the last question is none to this one. */
static void
drop_stale(const struct input *input)
{
    struct request *stale;

    while ((stale = receive(input)))
        request_free(stale);
}

void
input_ask(struct input *input, const struct request *request,
          const struct envelope *event)
{
    drop_stale(input);
    input->is_asking = true;
    input->question = event->seq;
    session_send(input->session, input->socket, request->frames.slices,
                 request->message.ident_count,
                 &(struct outgoing){.type = "input_request",
                                    .parent = request_header(request),
                                    .content = event->content},
                 NULL);
}

/* Its parent header differs from client to client, so it is not checked. */
static void
take_answer(struct input *input, const struct request *answer)
{
    struct slice value = json_scan_field(request_content(answer), "value");

    if (!input->is_asking || strcmp(answer->message.type, "input_reply") != 0) {
        log_info("dropped type=%.60s", answer->message.type);
        return;
    }
    input->is_asking = false;
    input->on_answer(input->context,
                     json_scan_kind(value) == JSON_KIND_STRING ? value : SLICE("\"\""),
                     input->question);
}

static int
on_readable(zloop_t *loop UNUSED, zmq_pollitem_t *item UNUSED, void *context)
{
    struct input *input = context;
    AUTO(request) struct request *answer = receive(input);

    if (answer)
        take_answer(input, answer);
    return 0;
}

void
input_start(struct input *input, zloop_t *loop)
{
    zmq_pollitem_t item = {.socket = input->socket, .events = ZMQ_POLLIN};

    zloop_poller(loop, &item, on_readable, input);
}

void
input_end(struct input *input)
{
    input->is_asking = false;
}
