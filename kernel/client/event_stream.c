#include "kernel/client/event_stream.h"

#include <stdio.h>

#include "common/limits.h"
#include "common/retry.h"

#define LOG_COMPONENT "events"
#include "common/log.h"

#define PATIENCE_MS 60000 /* for a stream without an event */
#define BAD_RESUMES 1     /* of a stream that is cut, more; of one that is wrong, not */
#define QUIET_MS    500 /* of a stream that was there: a quiet cell, cut by a router */

static void request_events(void *context);

static void
lose(struct event_stream *stream, const char *message)
{
    const struct sandbox_loss loss = {message,
                                      "Run the cell again: it gets a new sandbox."};

    event_stream_close(stream);
    stream->owner.on_lost(stream->owner.context, &loss);
}

/* --- taking it up again --- */

static void
lose_connection(struct event_stream *stream, const char *why)
{
    char message[400];

    snprintf(message, sizeof(message), "the connection to the sandbox is lost: %.300s",
             why);
    lose(stream, message);
}

static int64_t
next_wait(const struct event_stream *stream)
{
    const struct retry_state state = {
        .retries = stream->resumes,
        .left_ms = stream->cut_at + PATIENCE_MS - zclock_mono(),
        .asked_ms = RETRY_NOT_ASKED,
    };

    return retry_wait_ms(RETRY_EVENT_STREAM, &state);
}

/* Twice without any progress is once too often when the stream itself is bad; a mere
 * cut gets more patience. */
static void
resume(struct event_stream *stream, bool is_bad, const char *why)
{
    if (stream->resumed_at != stream->last_seq || !stream->resumes) {
        stream->resumes = stream->bad_resumes = 0;
        stream->cut_at = zclock_mono();
    }
    stream->resumed_at = stream->last_seq;
    if (stream->call)
        http_pool_cancel(TAKE(stream->call));
    const int64_t wait = next_wait(stream);
    if ((is_bad && stream->bad_resumes++ >= BAD_RESUMES) || wait < 0) {
        lose_connection(stream, why);
        return;
    }
    stream->resumes++;
    log_info("resume after=%lld reason=\"%s\"", (long long)stream->last_seq, why);
    timer_set(&stream->next_try, stream->loop, wait, request_events, stream);
}

/* --- reading --- */

/* True if the event is the next one. */
static bool
check_seq(struct event_stream *stream, const struct envelope *event)
{
    char why[120];

    if (event->seq == stream->last_seq + 1)
        return true;
    if (event->seq > 0 && event->seq <= stream->last_seq)
        return false; /* seen before: a cut came in between */
    snprintf(why, sizeof(why), "output is missing, event %lld came after %lld",
             (long long)event->seq, (long long)stream->last_seq);
    resume(stream, true, why);
    return false;
}

/* What is too long is not waited for. */
static ssize_t
parse_long(struct event_stream *stream, struct slice bytes, struct envelope *event,
           struct error *err)
{
    AUTO(envelope) struct envelope seen = ENVELOPE_INIT;
    size_t total;

    if (envelope_peek(bytes, &seen, &total, err) <= 0 ||
        seen.content.len <= LIMIT_OUTPUT_BYTES)
        return 0;
    stream->skipping = total - bytes.len;
    seen.unread = seen.content.len;
    seen.content = seen.metadata = SLICE("");
    free(TAKE(seen.buffers));
    seen.buffer_count = 0;
    *event = seen;
    seen = (struct envelope)ENVELOPE_INIT;
    return (ssize_t)bytes.len;
}

/* One event off the front: bytes used, 0 if there is none, -1 if the stream is over. */
static ssize_t
take_event(struct event_stream *stream, struct slice bytes)
{
    AUTO(envelope) struct envelope event = ENVELOPE_INIT;
    const unsigned generation = stream->generation;
    const struct http_call *call = stream->call;
    struct error err;
    ssize_t used = envelope_parse(bytes, &event, &stream->needed, &err);

    if (used < 0)
        resume(stream, true, err.text);
    if (used == 0 && stream->needed > LIMIT_OUTPUT_BYTES)
        used = parse_long(stream, bytes, &event, &err);
    if (used <= 0)
        return used;
    if (check_seq(stream, &event)) {
        stream->last_seq = event.seq;
        stream->owner.on_event(stream->owner.context, &event);
    }
    return generation == stream->generation && call == stream->call ? used : -1;
}

static struct slice
skip(struct event_stream *stream, struct slice bytes)
{
    size_t len = bytes.len < stream->skipping ? bytes.len : stream->skipping;

    stream->skipping -= len;
    return (struct slice){bytes.data + len, bytes.len - len};
}

static size_t
on_bytes(void *context, struct slice bytes)
{
    struct event_stream *stream = context;
    struct slice rest = skip(stream, bytes);

    while (rest.len && rest.len >= stream->needed && !stream->is_held) {
        ssize_t used = take_event(stream, rest);
        if (used < 0)
            return 0; /* this stream is over */
        if (used == 0)
            break; /* until as many bytes are there as `needed` now says */
        stream->needed = 0;
        rest = (struct slice){rest.data + used, rest.len - (size_t)used};
    }
    return bytes.len - rest.len;
}

static void
on_end(void *context, const struct http_result *result)
{
    struct event_stream *stream = context;
    struct error err;

    stream->call = NULL;
    if (result->begun == 200 && zclock_mono() - stream->opened >= QUIET_MS)
        stream->resumes = 0;
    if (result->status == 200) {
        resume(stream, false, "sandboxd ended the stream of events");
    } else if (result->status == 404 || result->status == 403) {
        lose(stream, "the sandbox has ended");
    } else if (result->status == 410) {
        lose(stream, "output was lost: sandboxd no longer has it");
    } else {
        sandbox_link_refusal(stream->link, result, &err);
        if (sandbox_link_is_dead(stream->link, result))
            lose_connection(stream, err.text);
        else
            resume(stream, false, err.text);
    }
}

static void
request_events(void *context)
{
    struct event_stream *stream = context;
    AUTO(mem) char *path = xasprintf("/%s/events?after=%lld", stream->link->id,
                                     (long long)stream->last_seq);

    stream->needed = stream->skipping = 0;
    stream->opened = zclock_mono();
    stream->call = sandbox_link_call(
        stream->link, path,
        (struct http_request){.method = "GET",
                              .max_bytes = LIMIT_ENVELOPE_BYTES + MIB(32),
                              .on_data = on_bytes,
                              .on_done = on_end,
                              .context = stream});
    http_pool_hold(stream->call, stream->is_held);
}

/* --- life --- */

void
event_stream_init(struct event_stream *stream, zloop_t *loop,
                  const struct sandbox_link *link,
                  const struct event_stream_owner *owner)
{
    *stream = (struct event_stream){.loop = loop, .link = link, .owner = *owner};
}

void
event_stream_open(struct event_stream *stream, json_int_t after)
{
    event_stream_close(stream);
    stream->last_seq = after;
    stream->resumes = stream->bad_resumes = 0;
    stream->resumed_at = -1;
    stream->is_held = false;
    request_events(stream);
}

void
event_stream_close(struct event_stream *stream)
{
    stream->generation++;
    timer_cancel(&stream->next_try);
    if (stream->call)
        http_pool_cancel(TAKE(stream->call));
}

void
event_stream_hold(struct event_stream *stream, bool hold)
{
    stream->is_held = hold;
    if (stream->call)
        http_pool_hold(stream->call, hold);
}
