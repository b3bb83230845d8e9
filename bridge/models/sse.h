/*
 * sse: turns the bytes of a model server into events.
 *
 * Server-sent events with LF, CRLF or CR line ends, a BOM, comments, several data
 * lines; and, because servers send them between or instead of events, bare JSON
 * objects: one by one, in an array, pretty-printed over many lines. The same bytes give
 * the same events, however they are split. Pure: no descriptor, no clock, nothing that
 * depends on a provider.
 */
#pragma once

#include "common/buffer.h"

struct sse_event {
    struct slice name; /* empty when the server gave none */
    struct slice data;
    bool is_bare; /* a JSON object outside the event-stream format */
};

/* The event is valid during the call. False: no more events are wanted. */
typedef bool sse_event_fn(const struct sse_event *event, void *context);

struct sse {
    sse_event_fn *on_event;
    void *context;
    struct buffer line, name, data;
    bool has_data, after_cr, is_stopped;
    bool in_json, in_string, after_backslash;
    unsigned depth;
    size_t total;
};

void sse_init(struct sse *sse, sse_event_fn *on_event, void *context);
void sse_release(struct sse *sse);

/* -1 when a line, an event or the whole exceeds its limit; feed nothing after that. */
int sse_feed(struct sse *sse, struct slice bytes, struct error *err) MUST_CHECK;

/* The stream is over: delivers the last event if no blank line ended it. */
int sse_end(struct sse *sse, struct error *err) MUST_CHECK;

/* "[DONE]": OpenAI's end marker, which proxies add to other streams too. */
bool sse_is_done(const struct sse_event *event);

static inline void
auto_sse(struct sse *sse)
{
    sse_release(sse);
}
