/*
 * worker_message: decides whether a worker may send this message now.
 *
 * The worker is hostile. A pure function of the envelope and of the state of the
 * conversation; a message that no row of common/messages.def allows is a violation. The
 * frame was checked before (common/envelope); the code that shows the content checks
 * it.
 */
#pragma once

#include "common/envelope.h"
#include "sandbox/messages/request_queue.h"

/* What the message means to sandboxd, besides being relayed. */
enum worker_message_kind {
    WORKER_HELLO,       /* not relayed */
    WORKER_INTERRUPTED, /* not relayed */
    WORKER_VARIABLES,   /* not relayed */
    WORKER_IMPORTS,     /* not relayed */
    WORKER_WISHES,      /* checkpoints_wanted: not relayed */
    WORKER_DEBUGS,      /* debugger: it listens where it was lent; not relayed */
    WORKER_OUTPUT,
    WORKER_BEGINS,        /* execute_input: it has counted the cell */
    WORKER_ASKS,          /* input_request */
    WORKER_ENDS,          /* the running request's reply, or `done` */
    WORKER_BEGINS_BESIDE, /* the same two, of a request beside it */
    WORKER_ENDS_BESIDE,
};

struct worker_talk {
    bool said_hello;
    bool asks;      /* an input_request waits for its answer */
    bool has_begun; /* the running request had its execute_input */
    const struct request_queue *requests;
};

int worker_message_check(const struct envelope *message, const struct worker_talk *talk,
                         enum worker_message_kind *kind, struct error *err) MUST_CHECK;

/* The same of what comes on the debugger's channel: an event, or the reply (*ends) to
 * one of the requests that went there. */
int worker_message_check_aside(const struct envelope *message,
                               const struct request_queue *requests, bool *ends,
                               struct error *err) MUST_CHECK;

/* Content of `hello`: {"python":"…","packages":{"name":"version",…}}; a new reference.
 */
json_t *worker_message_parse_hello(struct slice content, struct error *err) MUST_CHECK;

/* Content of `imports`: {"names":["sklearn",…]}; a new reference to an array of texts,
 * which may be anything. */
json_t *worker_message_parse_imports(struct slice content,
                                     struct error *err) MUST_CHECK;

/* Content of `variables`: {"count":12,"largest":[{"name","type","bytes"},…]}, of names
 * that can be shown; a new reference. */
json_t *worker_message_parse_variables(struct slice content,
                                       struct error *err) MUST_CHECK;
