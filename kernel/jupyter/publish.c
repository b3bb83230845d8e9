#include "kernel/jupyter/publish.h"

#include <stdio.h>
#include <zmq.h>

#include "common/buffer.h"
#include "common/limits.h"
#include "common/utf8.h"
#include "kernel/jupyter/frames.h"
#include "kernel/jupyter/json_scan.h"

#define LOG_COMPONENT "iopub"
#include "common/log.h"

/* As ipykernel has them; subscribers to a part of the output rely on it. */
static const struct {
    const char *type, *topic;
} topics[] = {
    {"display_data",        "display_data"},
    {"update_display_data", "display_data"},
    {"clear_output",        "display_data"},
    {"shutdown_reply",      "shutdown"    },
};

int
publish_init(struct publisher *publisher, struct session *session, void *socket,
             struct error *err)
{
    publisher->session = session;
    publisher->socket = socket;
    return outbox_new(&publisher->outbox, LIMIT_IOPUB_QUEUE_BYTES, err);
}

void
publish_release(struct publisher *publisher)
{
    outbox_free(TAKE(publisher->outbox));
}

static const char *
named_topic(const char *type)
{
    for (size_t i = 0; i < COUNT_OF(topics); i++)
        if (strcmp(type, topics[i].type) == 0)
            return topics[i].topic;
    return NULL;
}

static struct slice
string_field(struct slice content, const char *name)
{
    struct slice value = json_scan_field(content, name);

    if (value.len < 2 || value.data[0] != '"')
        return SLICE("");
    return (struct slice){value.data + 1, value.len - 2};
}

static struct slice
topic_of(const struct publisher *publisher, const struct outgoing *message, char *space,
         size_t size)
{
    const char *type = message->type, *named = named_topic(type);
    int len;

    if (strcmp(type, "stream") == 0) {
        struct slice name = string_field(message->content, "name");
        len = snprintf(space, size, "stream.%.*s", (int)name.len, name.data);
    } else if (strncmp(type, "comm_", 5) == 0) {
        struct slice id = string_field(message->content, "comm_id");
        len = snprintf(space, size, "comm-%.*s", (int)id.len, id.data);
    } else if (named && strcmp(named, "display_data") == 0) {
        len = snprintf(space, size, "%s", named);
    } else {
        len = snprintf(space, size, "kernel.%s.%s", publisher->session->ident,
                       named ? named : type);
    }
    return (struct slice){space, (size_t)len < size ? (size_t)len : size - 1};
}

void
publish(struct publisher *publisher, const struct outgoing *message)
{
    char space[512];
    struct slice topic = topic_of(publisher, message, space, sizeof(space));

    if (publisher->tap)
        publisher->tap(publisher->tap_context, message);
    session_send(publisher->session, publisher->socket, &topic, 1, message,
                 publisher->outbox);
}

void
publish_status(struct publisher *publisher, const char *state, struct slice parent)
{
    char content[64];

    snprintf(content, sizeof(content), "{\"execution_state\":\"%s\"}", state);
    publish(publisher, &(struct outgoing){.type = "status",
                                          .parent = parent,
                                          .content = slice_of(content)});
}

void
publish_stderr(struct publisher *publisher, const char *text, struct slice parent)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&content, "{\"name\":\"stderr\",\"text\":");
    buffer_append_json_string(&content, slice_of(text));
    buffer_append_text(&content, "}");
    publish(publisher, &(struct outgoing){.type = "stream",
                                          .parent = parent,
                                          .content = buffer_slice(&content)});
}

/* XPUB's frame for a subscription. */
static void
admit(struct publisher *publisher, struct slice subscription)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    /* 1 subscribes, 0 unsubscribes, anything else is a subscriber's own message. */
    if (subscription.len == 0 || subscription.data[0] > 1)
        return;
    bool joins = subscription.data[0] == 1;
    struct slice topic = {subscription.data + 1, subscription.len - 1};
    if (zmq_setsockopt(publisher->socket, joins ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE,
                       topic.data, topic.len) < 0)
        log_error("subscriber not admitted: %s", zmq_strerror(zmq_errno()));
    if (!joins || !utf8_is_valid(topic))
        return;
    buffer_append_text(&content, "{\"subscription\":");
    buffer_append_json_string(&content, topic);
    buffer_append_text(&content, "}");
    /* The topic itself goes in front, so that this subscriber gets it. */
    session_send(
        publisher->session, publisher->socket, &topic, 1,
        &(struct outgoing){.type = "iopub_welcome", .content = buffer_slice(&content)},
        publisher->outbox);
}

void
publish_admit(struct publisher *publisher)
{
    struct error err;

    for (;;) {
        AUTO(frames) struct frames frames = FRAMES_INIT;
        int got = frames_receive(publisher->socket, &frames, &err);
        if (got == 0)
            return;
        if (got > 0)
            admit(publisher, frames.slices[0]);
    }
}
