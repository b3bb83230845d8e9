/*
 * publish: everything that leaves on iopub, and its topics, in one place.
 */
#pragma once

#include "kernel/jupyter/session.h"

/* Sees all that is published, before it is sent. */
typedef void publish_tap_fn(void *context, const struct outgoing *message);

struct publisher {
    struct session *session; /* borrowed, as is the socket */
    void *socket;
    struct outbox *outbox; /* owned */
    publish_tap_fn *tap;   /* or NULL */
    void *tap_context;
};

int publish_init(struct publisher *publisher, struct session *session, void *socket,
                 struct error *err) MUST_CHECK;
/* After the socket's context has ended. */
void publish_release(struct publisher *publisher);

void publish(struct publisher *publisher, const struct outgoing *message);
/* "starting", "busy", "idle" */
void publish_status(struct publisher *publisher, const char *state,
                    struct slice parent);
/* Text from the kernel itself, on the cell's stderr. */
void publish_stderr(struct publisher *publisher, const char *text, struct slice parent);

/* Accepts all waiting subscribers; each gets a welcome message before any other. Also
 * called for each request, so that a client that subscribes and then sends a request
 * gets its outputs. */
void publish_admit(struct publisher *publisher);

static inline void
auto_publisher(struct publisher *publisher)
{
    publish_release(publisher);
}
