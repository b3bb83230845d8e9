#include "bridge/models/stream.h"

static bool
on_event(const struct sse_event *event, void *context)
{
    struct stream *stream = context;

    stream->events++;
    stream->api->event(&stream->reply, event);
    return !stream->reply.has_failed && !stream->reply.is_complete;
}

void
stream_init(struct stream *stream, const struct model_api *api)
{
    *stream = (struct stream){.api = api};
    sse_init(&stream->sse, on_event, stream);
    reply_init(&stream->reply);
}

void
stream_release(struct stream *stream)
{
    sse_release(&stream->sse);
    reply_release(&stream->reply);
}

bool
stream_feed(struct stream *stream, struct slice bytes)
{
    return sse_feed(&stream->sse, bytes, &stream->err) == 0 && !stream->sse.is_stopped;
}

bool
stream_is_whole(const struct stream *stream)
{
    const struct reply *reply = &stream->reply;
    bool may_end = stream->api->may_end_silently;

    return reply->is_complete || (may_end && reply->stop != STOP_NONE);
}

static bool
is_blank(const struct buffer *text)
{
    for (size_t i = 0; i < text->len; i++)
        if ((unsigned char)text->data[i] > ' ')
            return false;
    return true;
}

/* What its stop means, for a reply that is whole by its provider's own word. */
static int
judge_stop(const struct reply *reply, struct failure *failure)
{
    if (reply->stop == STOP_LENGTH)
        failure_set(failure, FAIL_LENGTH, "after %zu bytes", reply->text.len);
    else if (reply->stop == STOP_FILTERED)
        failure_set(failure, FAIL_FILTERED, "%s", reply->stop_word);
    else if (reply->stop == STOP_REFUSED || reply->was_refused)
        failure_set(failure, FAIL_REFUSED, "%.200s",
                    reply->text.data ? reply->text.data : "");
    else if (reply->stop == STOP_OTHER)
        failure_set(failure, FAIL_PROTOCOL, "it stopped with \"%s\"", reply->stop_word);
    else if (is_blank(&reply->text))
        failure_set(failure, FAIL_EMPTY, "no text");
    else
        return 0;
    return -1;
}

int
stream_end(struct stream *stream, struct failure *failure)
{
    struct reply *reply = &stream->reply;

    reply->is_at_eof = true;
    if (!stream->err.text[0] && sse_end(&stream->sse, &stream->err) < 0)
        stream->events++; /* there was one, too long */
    if (reply->has_failed) {
        *failure = reply->failure;
        return -1;
    }
    if (stream_is_whole(stream))
        return judge_stop(reply, failure);
    if (stream->err.text[0])
        failure_set(failure, FAIL_PROTOCOL, "%s", stream->err.text);
    else if (stream->events == 0)
        failure_set(failure, FAIL_PROTOCOL, "it contains no event");
    else
        failure_set(failure, FAIL_TRUNCATED, "its end marker is missing");
    return -1;
}
