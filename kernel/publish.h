/*
 * publish: everything that leaves on iopub, and its topics, in one place.
 */
#pragma once

#include "kernel/session.h"

struct publisher {
    struct session *session; /* borrowed, as is the socket */
    void *socket;
    struct outbox *outbox; /* owned */
};

int publisher_init(struct publisher *publisher, struct session *session, void *socket,
                   struct error *err) MUST_CHECK;
/* After the socket's context has ended. */
void publisher_release(struct publisher *publisher);

void publish(struct publisher *publisher, const struct outgoing *message);
/* "starting", "busy", "idle" */
void publish_status(struct publisher *publisher, const char *state,
                    struct slice parent);
/* Text on the cell's stderr, from us. */
void publish_stderr(struct publisher *publisher, const char *text, struct slice parent);

/* XPUB's frame for a subscription: answers it with iopub_welcome. */
void publish_welcome(struct publisher *publisher, struct slice subscription);

static inline void
auto_publisher(struct publisher *publisher)
{
    publisher_release(publisher);
}
