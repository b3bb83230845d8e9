/*
 * publish: everything that leaves on iopub, and its topics, in one place.
 */
#pragma once

#include "kernel/jupyter/session.h"

struct publisher {
    struct session *session; /* borrowed, as is the socket */
    void *socket;
    struct outbox *outbox; /* owned */
};

int publish_init(struct publisher *publisher, struct session *session, void *socket,
                 struct error *err) MUST_CHECK;
/* After the socket's context has ended. */
void publish_release(struct publisher *publisher);

void publish(struct publisher *publisher, const struct outgoing *message);
/* "starting", "busy", "idle" */
void publish_status(struct publisher *publisher, const char *state,
                    struct slice parent);
/* Text on the cell's stderr, from us. */
void publish_stderr(struct publisher *publisher, const char *text, struct slice parent);

/* Lets in all who wait to subscribe, each welcomed before it hears anything else. Done
 * for each request too: a client that subscribes and then asks shall hear of what it
 * asked. */
void publish_admit(struct publisher *publisher);

static inline void
auto_publisher(struct publisher *publisher)
{
    publish_release(publisher);
}
