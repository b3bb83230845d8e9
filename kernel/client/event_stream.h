/*
 * event_stream: the events of our sandbox, in order, each once.
 *
 * GET …/events of one sandbox, from its first event to its end. A stream that is cut is
 * taken up again behind the last event seen: nothing comes twice, nothing is missed;
 * if that is not possible, the sandbox counts as lost. An event whose content is over
 * LIMIT_OUTPUT_BYTES comes without it, as soon as that is known (envelope.h, `unread').
 */
#pragma once

#include "common/envelope.h"
#include "common/timer.h"
#include "kernel/client/sandbox_link.h"

struct event_stream_owner {
    void (*on_event)(void *context, const struct envelope *event);
    void (*on_lost)(void *context, const struct sandbox_loss *loss);
    void *context;
};

struct event_stream {
    zloop_t *loop;
    const struct sandbox_link *link;
    struct event_stream_owner owner;
    struct http_call *call;
    unsigned generation; /* rises when it is opened, and when it is closed */
    json_int_t last_seq, resumed_at;
    unsigned resumes, bad_resumes; /* without an event, or a quiet while, in between */
    int64_t cut_at;                /* the first of them */
    int64_t opened;                /* when the stream was asked for */
    size_t needed;                 /* bytes, before a look at them is worth while */
    size_t skipping;               /* bytes of an event that is too long to be read */
    bool is_held;
    struct timer next_try;
};

void event_stream_init(struct event_stream *stream, zloop_t *loop,
                       const struct sandbox_link *link,
                       const struct event_stream_owner *owner);

/* From the event behind `after` on. A handler may close it, and open it anew. */
void event_stream_open(struct event_stream *stream, json_int_t after);
void event_stream_close(struct event_stream *stream); /* also when closed */

/* Stop reading, so that the sender has to wait; or go on. */
void event_stream_hold(struct event_stream *stream, bool hold);
