/*
 * reply: the result of one request, gathered from a provider's events.
 *
 * The providers' files call these; they know their own field names and end marker, and
 * nothing about HTTP, retries or loops. The first failure stays; text after it or after
 * the end is ignored.
 */
#pragma once

#include "bridge/models/failure.h"
#include "bridge/models/sse.h"
#include "common/buffer.h"

enum reply_stop {
    STOP_NONE, /* no word of an end yet */
    STOP_END,
    STOP_LENGTH,
    STOP_FILTERED,
    STOP_REFUSED,
    STOP_OTHER,
};

struct usage {
    long prompt, completion, reasoning; /* tokens, -1 when not said */
};

struct reply {
    struct buffer text;
    size_t reasoning_bytes;
    struct usage usage;
    enum reply_stop stop;
    char stop_word[64]; /* as the provider said it */
    char model[128];
    bool was_refused; /* the text says why */
    bool is_complete; /* the provider's end marker was there */
    bool is_at_eof;   /* what is parsed now may be cut off */
    bool has_failed;
    struct failure failure;
};

void reply_init(struct reply *reply);
void reply_release(struct reply *reply);

/* The event's JSON, owned by the caller. NULL when it is not JSON or has an "error",
 * which then becomes the reply's failure. */
json_t *reply_parse(struct reply *reply, const struct sse_event *event);

void reply_add_text(struct reply *reply, const json_t *string);
void reply_add_reasoning(struct reply *reply, const json_t *string);
void reply_set_model(struct reply *reply, const json_t *string);
void reply_set_tokens(long *out, const json_t *integer); /* no integer: left alone */

/* `words`: the words that the provider may use; ends with a row without a word. */
struct stop_word {
    const char *word;
    enum reply_stop stop;
};
void reply_stop(struct reply *reply, const json_t *word, const struct stop_word *words);
void reply_complete(struct reply *reply);
void reply_fail(struct reply *reply, enum failure_kind kind, const char *fmt, ...)
    PRINTF(3, 4);

static inline void
auto_reply(struct reply *reply)
{
    reply_release(reply);
}
