/*
 * request_queue: the requests of one sandbox: those that wait, the one that runs, and
 * the ids of those that were.
 *
 * Only one request runs at a time. The newest LIMIT_KNOWN_REQUESTS ids stay known,
 * because threads and comms go on speaking for requests that have ended.
 */
#pragma once

#include "common/buffer.h"
#include "common/messages.h"

struct request {
    const struct message_type *type; /* messages_is_for_worker */
    char *id;
    struct buffer bytes; /* the envelope as it came */
    struct request *next;
};

struct request_queue;

struct request_queue *request_queue_new(void);
void request_queue_free(struct request_queue *queue);

/*
 * Checks that *bytes is one envelope of a request and takes its storage. Refuses what
 * is malformed (ERR_BAD_INPUT), and what there is no room for (ERR_BUSY). 1, and
 * nothing else: the id is known, so this is the same request, whose answer its client
 * did not get to see.
 */
int request_queue_add(struct request_queue *queue, struct buffer *bytes,
                      struct error *err) MUST_CHECK;

/* The next one starts to run: its bytes are to be written. NULL when none waits. */
struct request *request_queue_start(struct request_queue *queue);
const struct request *request_queue_running(const struct request_queue *queue);
void request_queue_end(struct request_queue *queue); /* of the running one; or none */

bool request_queue_is_running(const struct request_queue *queue, const char *id);
/* Runs, or ran. */
bool request_queue_knows(const struct request_queue *queue, const char *id);
size_t request_queue_waiting(const struct request_queue *queue);

static inline void
auto_request_queue(struct request_queue **queue)
{
    request_queue_free(*queue);
}
