/*
 * stream: turns the bytes of an answer into a reply, and decides whether it is
 * complete.
 *
 * Pure. An answer is complete only when its provider has sent its end marker.
 */
#pragma once

#include "bridge/models/model_api.h"
#include "bridge/models/sse.h"

struct stream {
    const struct model_api *api;
    struct sse sse;
    struct reply reply;
    struct error err; /* text is "" while all is well */
    size_t events;
};

void stream_init(struct stream *stream, const struct model_api *api);
void stream_release(struct stream *stream);

/* False: no more is wanted, because it is whole or broken. */
bool stream_feed(struct stream *stream, struct slice bytes);

/* The end marker was seen: what happens to the connection now does not matter. */
bool stream_is_whole(const struct stream *stream);

/* The stream has ended. Returns 0, or -1 and why there is no reply. Call it once. */
int stream_end(struct stream *stream, struct failure *failure) MUST_CHECK;

static inline void
auto_stream(struct stream *stream)
{
    stream_release(stream);
}
