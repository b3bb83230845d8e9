/*
 * What a worker may send, as sandboxd reads it: frame, type, parent, the moment, and
 * the event that it becomes. One request has ended ("old"), one runs ("now"), and one
 * beside it ("beside"). Whatever is relayed can be read back, and is numbered without a
 * gap.
 */
#include <stdlib.h>

#include "sandbox/messages/event_log.h"
#include "sandbox/messages/worker_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    KEEP = 1 << 20
};

static void
ignore(void *context UNUSED)
{
}

static struct request_queue *
make_queue(void)
{
    static const char *const ids[] = {"old", "now"};
    static const char beside[] =
        "{\"type\":\"execute_request\",\"id\":\"beside\",\"beside\":\"s\"}\n\n";
    struct request_queue *queue = request_queue_new();
    struct error err;

    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
        buffer_printf(&bytes, "{\"type\":\"execute_request\",\"id\":\"%s\"}\n\n",
                      ids[i]);
        if (request_queue_add(queue, &bytes, &err) < 0)
            abort();
        request_queue_end(queue);
        request_queue_start(queue);
    }
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    buffer_append_text(&bytes, beside);
    if (request_queue_add(queue, &bytes, &err) < 0 ||
        !request_queue_start_beside(queue))
        abort();
    return queue;
}

static void
take(const struct envelope *e, struct worker_talk *talk, struct request_queue *queue,
     struct event_log *log)
{
    enum worker_message_kind kind;
    struct error err;

    if (worker_message_check(e, talk, &kind, &err) < 0)
        return;
    if (kind == WORKER_HELLO) {
        json_decref(worker_message_parse_hello(e->content, &err));
        talk->said_hello = true;
        return;
    }
    event_log_append(log, &(struct event){.type = e->type,
                                          .parent = e->parent,
                                          .content = e->content,
                                          .metadata = e->metadata,
                                          .buffers = e->buffers,
                                          .buffer_count = e->buffer_count});
    talk->asks = kind == WORKER_ASKS;
    if (kind == WORKER_ENDS)
        request_queue_end(queue);
    if (kind == WORKER_BEGINS_BESIDE)
        request_queue_find_beside(queue, e->parent)->has_begun = true;
    if (kind == WORKER_ENDS_BESIDE)
        request_queue_end_beside(queue, e->parent);
}

static void
read_back(struct event_log *log)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct event_reader reader = {.on_news = ignore};
    json_int_t seq = 0;
    struct error err;
    size_t len;

    if (event_log_attach(log, &reader, 0, &err) < 0)
        abort();
    do {
        char *room = buffer_reserve(&bytes, 1000);
        len = event_log_read(&reader, room, 1000);
        buffer_advance(&bytes, len);
    } while (len);
    for (struct slice rest = buffer_slice(&bytes); rest.len;) {
        AUTO(envelope) struct envelope e = ENVELOPE_INIT;
        ssize_t used = envelope_parse(rest, &e, NULL, &err);
        if (used <= 0 || e.seq != ++seq)
            abort();
        rest = (struct slice){rest.data + used, rest.len - (size_t)used};
    }
    event_log_detach(&reader);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice rest = {(const char *)data, size};
    AUTO(request_queue) struct request_queue *queue = make_queue();
    AUTO(event_log) struct event_log *log = event_log_new(KEEP, ignore, NULL);
    struct worker_talk talk = {.said_hello = false, .requests = queue};

    for (;;) {
        AUTO(envelope) struct envelope e = ENVELOPE_INIT;
        struct error err;
        ssize_t used = envelope_parse(rest, &e, NULL, &err);
        if (used <= 0)
            break;
        take(&e, &talk, queue, log);
        rest = (struct slice){rest.data + used, rest.len - (size_t)used};
    }
    read_back(log);
    return 0;
}
