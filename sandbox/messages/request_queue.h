/*
 * request_queue: the requests of one sandbox: those that wait, the one that runs, and
 * the ids of earlier ones.
 *
 * Only one request runs at a time, but for asides: those go to the debugger beside it,
 * once there is one; and for besides: those whose envelope says where in the worker
 * they run (`beside`: a subshell's id, or "" for the main thread while a cell awaits).
 * The newest LIMIT_KNOWN_REQUESTS ids stay known, because threads and comms still send
 * messages for requests that have ended.
 */
#pragma once

#include "common/buffer.h"
#include "common/messages.h"
#include "common/trace.h"

struct request {
    const struct message_type *type; /* messages_is_for_worker */
    char *id;
    struct buffer bytes;   /* the envelope as it came */
    struct trace_id trace; /* as its client said; for the logs */
    bool has_begun;        /* it had its execute_input; of besides alone */
    struct request *next;
};

struct request_queue;

struct request_queue *request_queue_new(void);
void request_queue_free(struct request_queue *queue);

/*
 * Checks that *bytes is one envelope of a request and takes its storage. Refuses a
 * malformed one (ERR_BAD_INPUT), and one that there is no room for (ERR_BUSY). Returns
 * 1 and does nothing if the id is known: it is the same request again, from a client
 * that did not get the answer.
 */
int request_queue_add(struct request_queue *queue, struct buffer *bytes,
                      struct error *err) MUST_CHECK;
/* Of what is added from now on; NULL: none. */
void request_queue_set_trace(struct request_queue *queue, const struct trace_id *trace);

/* NULL when none waits. */
const struct request *request_queue_next(const struct request_queue *queue);
/* The one that was added last, if it waits still; or NULL. */
const struct request *request_queue_newest(const struct request_queue *queue);
/* Starts the next request and returns its bytes, to be written. NULL when none
 * waits. */
struct request *request_queue_start(struct request_queue *queue);
const struct request *request_queue_running(const struct request_queue *queue);
void request_queue_end(struct request_queue *queue); /* of the running one; or none */

bool request_queue_is_running(const struct request_queue *queue, const char *id);
/* Runs, or ran. */
bool request_queue_knows(const struct request_queue *queue, const char *id);
size_t request_queue_waiting(const struct request_queue *queue);

/* Puts the next aside that waits, wherever in the queue, among those that are open
 * beside what runs; at most LIMIT_ASIDES. NULL when there is none, or no room. */
struct request *request_queue_start_aside(struct request_queue *queue);
/* Is an aside of that id open, and `reply` what ends it? */
bool request_queue_is_aside(const struct request_queue *queue, const char *id,
                            enum message_id reply);
/* NULL when none is open. */
const struct request *request_queue_first_aside(const struct request_queue *queue);
void request_queue_end_aside(struct request_queue *queue, const char *id);

/* Puts the next beside among those that are open; at most LIMIT_BESIDES, and
 * LIMIT_QUEUED_BYTES of them. NULL when none waits, or there is no room. */
struct request *request_queue_start_beside(struct request_queue *queue);
/* NULL when it is not open. */
struct request *request_queue_find_beside(const struct request_queue *queue,
                                          const char *id);
/* NULL when none is open. */
const struct request *request_queue_first_beside(const struct request_queue *queue);
void request_queue_end_beside(struct request_queue *queue, const char *id);
bool
request_queue_has_besides(const struct request_queue *queue); /* open, or waiting */

static inline void
auto_request_queue(struct request_queue **queue)
{
    request_queue_free(*queue);
}
