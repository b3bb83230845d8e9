/*
 * channel: a non-blocking stream of envelopes, as it runs between sandboxd and a
 * worker.
 *
 * Bytes come in through one scratch area that all channels share; only an incomplete
 * envelope is kept. Large envelopes are read directly into their own memory, which the
 * receiver may take over. A peer that never reads costs only the bytes that wait for
 * it.
 */
#pragma once

#include "common/envelope.h"
#include "sandbox/loop.h"

struct channel;

struct channel_ops {
    /* `memory` is not NULL when the envelope owns its bytes and they may be taken (then
     * *memory becomes NULL); content, metadata, buffers and a newline are contiguous.
     * The channel may be closed or paused from here. */
    void (*on_envelope)(void *context, const struct envelope *envelope, char **memory);
    /* Called once, when nothing more will come: at the end (err NULL), or with what was
     * wrong. */
    void (*on_end)(void *context, const struct error *err);
    void *context;
    size_t
        most_bytes; /* of an envelope that comes in; what is longer ends the channel */
};

/* What one envelope of a sandbox with so much memory may have: an eighth of it, at
 * least 32 MiB, at most LIMIT_ENVELOPE_BYTES. It is in our memory until it is
 * delivered, and kept for who reconnects until more has been. The worker knows the rule
 * (cellpod/envelope.py). */
size_t channel_share(uint64_t memory_bytes);

/* Takes fd, also on failure. */
struct channel *channel_new(struct loop *loop, int fd, struct channel_ops ops,
                            struct error *err) MUST_CHECK;

/* One with a new socket. Returns its other end, for the worker; -1 on failure. */
int channel_pair(struct channel **out, struct loop *loop, struct channel_ops ops,
                 struct error *err) MUST_CHECK;
void channel_free(struct channel *channel);

void channel_pause(struct channel *channel, bool paused); /* reading only */
/* The peer can send no more; what it has sent is still read, and then on_end is
 * called. */
void channel_refuse_more(struct channel *channel);

/* Sends at once what the socket accepts, and keeps the rest. Takes *bytes. */
void channel_send(struct channel *channel, struct buffer *bytes);
/* The same, with a descriptor attached to the first byte; takes the descriptor. -1:
 * none. */
void channel_send_with(struct channel *channel, struct buffer *bytes, int fd);

static inline void
auto_channel(struct channel **channel)
{
    channel_free(*channel);
}
