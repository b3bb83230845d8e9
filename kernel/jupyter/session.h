/*
 * session: who we are in every message that we send.
 *
 * One session id for the kernel's life, on every channel: clients take a message with
 * another one for a message from another kernel. Each header is new, down to its id:
 * clients refuse two messages with one signature.
 */
#pragma once

#include <time.h>

#include "kernel/jupyter/frames.h"
#include "kernel/jupyter/outbox.h"
#include "kernel/jupyter/signer.h"

#define SESSION_PROTOCOL "5.6"
#define SESSION_USERNAME "cellpod"
#define UUID_LEN         36

/* "2026-01-31T07:05:09.000123Z" */
#define SESSION_DATE_SIZE sizeof("9999-12-31T23:59:59.999999Z")

struct session {
    char id[UUID_LEN + 1];    /* in headers */
    char ident[UUID_LEN + 1]; /* the kernel, in iopub's topics */
    struct signer *signer;    /* owned */
    unsigned long long sent;
    char began[SESSION_DATE_SIZE];
};

/* Empty slices of JSON stand for {}. */
struct outgoing {
    const char *type; /* of ours, or one that a table knows: no escaping */
    struct slice parent, metadata, content;
    const struct slice *buffers;
    size_t buffer_count;
};

/* Takes the signer. */
int session_init(struct session *session, struct signer **signer,
                 struct error *err) MUST_CHECK;
void session_release(struct session *session);

/* route: identities of a client, or iopub's topic. With an outbox, it counts. False if
 * the message could not be sent; then the client has gone, as a rule. */
bool session_send(struct session *session, void *socket, const struct slice *route,
                  size_t route_count, const struct outgoing *message,
                  struct outbox *outbox);

void session_format_date(struct timespec time, char out[SESSION_DATE_SIZE]);

/* Is this header from before our time, so meant for the kernel that was restarted? Only
 * dates in the form above are compared: others say no. */
bool session_outlived(const struct session *session, struct slice header);

int session_make_uuid(char out[UUID_LEN + 1], struct error *err) MUST_CHECK;

static inline void
auto_session(struct session *session)
{
    session_release(session);
}
