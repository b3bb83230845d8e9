/*
 * session: the kernel's identity in every message that it sends.
 *
 * The session id is the same for the kernel's life and on every channel: clients take a
 * message with another id for one from another kernel. Each header gets a new message
 * id: clients refuse two messages with the same signature.
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
    const char *type; /* one of ours, or one from a table: it needs no escaping */
    struct slice parent, metadata, content;
    const struct slice *buffers;
    size_t buffer_count;
    /* Not sent: the sandbox's number for it, or 0; and whose it is, if that is an
     * earlier kernel's request: its id in the sandbox. */
    long long seq;
    const char *earlier;
};

/* Takes the signer. */
int session_init(struct session *session, struct signer **signer,
                 struct error *err) MUST_CHECK;
void session_release(struct session *session);

/* route: identities of a client, or iopub's topic. If there is an outbox, it counts the
 * message. False if the message could not be sent; usually the client has then gone. */
bool session_send(struct session *session, void *socket, const struct slice *route,
                  size_t route_count, const struct outgoing *message,
                  struct outbox *outbox);

void session_format_date(struct timespec time, char out[SESSION_DATE_SIZE]);

/* Was this header made before this kernel started, so meant for the one before a
 * restart? Only dates in the form above are compared; for others the answer is no. */
bool session_outlived(const struct session *session, struct slice header);

int session_make_uuid(char out[UUID_LEN + 1], struct error *err) MUST_CHECK;

static inline void
auto_session(struct session *session)
{
    session_release(session);
}
