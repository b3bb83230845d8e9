#include "bridge/models/reply.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/limits.h"
#include "common/utf8.h"

void
reply_init(struct reply *reply)
{
    *reply = (struct reply){
        .text = BUFFER_INIT(LIMIT_REPLY_TEXT),
        .usage = {-1, -1, -1},
        .failure = FAILURE_INIT,
    };
}

void
reply_release(struct reply *reply)
{
    buffer_release(&reply->text);
}

static json_t *
load(struct slice data)
{
    AUTO(buffer) struct buffer clean = BUFFER_INIT(SIZE_MAX);

    if (utf8_is_valid(data))
        return json_loadb(data.data, data.len, JSON_ALLOW_NUL, NULL);
    for (size_t at = 0; at < data.len;) {
        size_t len = utf8_sequence(data.data + at, data.len - at);
        if (len)
            buffer_append(&clean, data.data + at, len);
        else
            buffer_append_text(&clean, UTF8_REPLACEMENT);
        at += len ? len : 1;
    }
    return json_loadb(clean.data, clean.len, JSON_ALLOW_NUL, NULL);
}

/* An error shows in the name, in the members, or in both. */
static bool
is_error(struct reply *reply, const struct sse_event *event, json_t *json)
{
    if (failure_from_json(&reply->failure, json))
        return true;
    if (!slice_equals(event->name, SLICE("error")))
        return false;
    json_auto_t *wrapped = json_pack("{s:O}", "error", json);
    return failure_from_json(&reply->failure, wrapped);
}

json_t *
reply_parse(struct reply *reply, const struct sse_event *event)
{
    json_auto_t *json = load(event->data);

    if (!json) {
        if (reply->is_at_eof)
            reply_fail(reply, FAIL_TRUNCATED, "an event was cut off");
        else
            reply_fail(reply, FAIL_PROTOCOL, "an event is not valid JSON");
        return NULL;
    }
    if (reply->has_failed || !is_error(reply, event, json))
        return TAKE(json);
    reply->has_failed = true;
    return NULL;
}

/* NUL bytes would end the text early for everyone after us. */
static int
append_without_nul(struct buffer *out, struct slice text)
{
    while (text.len) {
        const char *nul = memchr(text.data, '\0', text.len);
        size_t len = nul ? (size_t)(nul - text.data) : text.len;
        if (buffer_append(out, text.data, len) < 0)
            return -1;
        len += nul != NULL;
        text = (struct slice){text.data + len, text.len - len};
    }
    return 0;
}

void
reply_add_text(struct reply *reply, const json_t *string)
{
    const struct slice text = {json_string_value(string), json_string_length(string)};

    if (reply->has_failed || reply->is_complete || text.len == 0)
        return;
    if (append_without_nul(&reply->text, text) < 0)
        reply_fail(reply, FAIL_PROTOCOL, "its answer is larger than %d bytes",
                   LIMIT_REPLY_TEXT);
}

void
reply_add_reasoning(struct reply *reply, const json_t *string)
{
    reply->reasoning_bytes += json_string_length(string);
}

void
reply_set_model(struct reply *reply, const json_t *string)
{
    if (json_string_length(string))
        failure_clean(reply->model, sizeof(reply->model),
                      slice_of(json_string_value(string)));
}

void
reply_set_tokens(long *out, const json_t *integer)
{
    json_int_t value = json_integer_value(integer);

    if (json_is_integer(integer) && value >= 0 && value < 1000000000)
        *out = (long)value;
}

void
reply_stop(struct reply *reply, const json_t *word, const struct stop_word *words)
{
    const char *text = json_string_value(word);

    if (!text)
        return;
    failure_clean(reply->stop_word, sizeof(reply->stop_word), slice_of(text));
    while (words->word && strcmp(words->word, text) != 0)
        words++;
    reply->stop = words->word ? words->stop : STOP_OTHER;
}

void
reply_complete(struct reply *reply)
{
    if (!reply->has_failed)
        reply->is_complete = true;
}

void
reply_fail(struct reply *reply, enum failure_kind kind, const char *fmt, ...)
{
    va_list args;

    if (reply->has_failed)
        return;
    va_start(args, fmt);
    AUTO(mem) char *text = xvasprintf(fmt, args);
    va_end(args);
    reply->has_failed = true;
    failure_set(&reply->failure, kind, "%s", text);
}
