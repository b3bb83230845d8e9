#include "bridge/models/failure.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/retry.h"
#include "common/utf8.h"

static const struct {
    const char *name;
    bool may_pass;
    const char *did, *remedy;
} kinds[] = {
#define X(kind, name, passes, did, remedy) [FAIL_##kind] = {name, passes, did, remedy},
    FAILURE_KINDS(X)
#undef X
};

/* The first row whose words occur in the server's code, type or message decides. */
static const struct {
    const char *words;
    bool in_message; /* look there too: codes are exact, messages are prose */
    enum failure_kind kind;
} meanings[] = {
    {"insufficient_quota",        true,  FAIL_QUOTA   },
    {"credit_balance",            false, FAIL_QUOTA   },
    {"billing",                   false, FAIL_QUOTA   },
    {"spend_limit",               false, FAIL_QUOTA   },
    {"payment_required",          false, FAIL_QUOTA   },
    {"credit balance is too low", true,  FAIL_QUOTA   },
    {"context_length_exceeded",   false, FAIL_CONTEXT },
    {"exceed_context_size",       false, FAIL_CONTEXT },
    {"maximum context length",    true,  FAIL_CONTEXT },
    {"context size",              true,  FAIL_CONTEXT },
    {"context window",            true,  FAIL_CONTEXT },
    {"prompt is too long",        true,  FAIL_CONTEXT },
    {"maximum number of tokens",  true,  FAIL_CONTEXT },
    {"authentication",            false, FAIL_AUTH    },
    {"invalid_api_key",           false, FAIL_AUTH    },
    {"unauthenticated",           false, FAIL_AUTH    },
    {"permission",                false, FAIL_AUTH    },
    {"api key not valid",         true,  FAIL_AUTH    },
    {"rate_limit",                false, FAIL_RATE    },
    {"resource_exhausted",        false, FAIL_RATE    },
    {"overloaded",                false, FAIL_SERVER  },
    {"unavailable",               false, FAIL_SERVER  },
    {"server_error",              false, FAIL_SERVER  },
    {"api_error",                 false, FAIL_SERVER  },
    {"internal",                  false, FAIL_SERVER  },
    {"timeout",                   false, FAIL_TIMEOUT },
    {"deadline_exceeded",         false, FAIL_TIMEOUT },
    {"content_filter",            false, FAIL_FILTERED},
    {"invalid_request",           false, FAIL_REQUEST },
    {"not_found",                 false, FAIL_REQUEST },
};

static const struct {
    int first, last;
    enum failure_kind kind;
} statuses[] = {
    {300, 399, FAIL_PROTOCOL},
    {401, 401, FAIL_AUTH    },
    {402, 402, FAIL_QUOTA   },
    {403, 403, FAIL_AUTH    },
    {408, 408, FAIL_TIMEOUT },
    {409, 409, FAIL_SERVER  },
    {429, 429, FAIL_RATE    },
    {400, 499, FAIL_REQUEST },
    {504, 504, FAIL_TIMEOUT },
    {500, 599, FAIL_SERVER  },
};

const char *
failure_name(enum failure_kind kind)
{
    return kinds[kind].name;
}

bool
failure_may_pass(enum failure_kind kind)
{
    return kinds[kind].may_pass;
}

void
failure_clean(char *out, size_t size, struct slice text)
{
    size_t at = 0, used = 0;
    bool blank = true; /* none at the start */

    while (at < text.len && used + 5 < size) {
        unsigned char c = (unsigned char)text.data[at];
        size_t len = utf8_sequence(text.data + at, text.len - at);
        if (c <= ' ' || c == 0x7f) {
            if (!blank)
                out[used++] = ' ';
            blank = true;
            at++;
            continue;
        }
        const char *from = len ? text.data + at : UTF8_REPLACEMENT;
        size_t take = len ? len : strlen(UTF8_REPLACEMENT);
        memcpy(out + used, from, take);
        used += take;
        at += len ? len : 1;
        blank = false;
    }
    while (used && out[used - 1] == ' ')
        used--;
    out[used] = '\0';
}

void
failure_set(struct failure *failure, enum failure_kind kind, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    AUTO(mem) char *text = xvasprintf(fmt, args);
    va_end(args);
    failure->kind = kind;
    failure_clean(failure->text, sizeof(failure->text), slice_of(text));
}

/* --- what the words mean --- */

static bool
says(const char *text, const char *words)
{
    return text && strcasestr(text, words);
}

static bool
find_meaning(const char *code, const char *type, const char *message,
             enum failure_kind *kind)
{
    for (size_t i = 0; i < COUNT_OF(meanings); i++) {
        const char *words = meanings[i].words;
        if (says(code, words) || says(type, words) ||
            (meanings[i].in_message && says(message, words))) {
            *kind = meanings[i].kind;
            return true;
        }
    }
    return false;
}

static enum failure_kind
kind_of_status(int status)
{
    for (size_t i = 0; i < COUNT_OF(statuses); i++)
        if (status >= statuses[i].first && status <= statuses[i].last)
            return statuses[i].kind;
    return FAIL_PROTOCOL;
}

/* "maximum context length is 8192 tokens": the number after the words. */
static long
number_after(const char *message, const char *words)
{
    const char *at = message ? strcasestr(message, words) : NULL;

    if (!at)
        return 0;
    at += strlen(words);
    at += strcspn(at, "0123456789");
    long number = strtol(at, NULL, 10);
    return number > 0 && number < 100000000 ? number : 0;
}

static void
read_context(struct failure *failure, const json_t *error, const char *message)
{
    long said = (long)json_integer_value(json_object_get(error, "n_ctx"));

    if (said <= 0)
        said = number_after(message, "maximum context length");
    if (said <= 0)
        said = number_after(message, "available context size");
    failure->context_tokens = said > 0 ? said : 0;
}

/* --- Google's details --- */

static void
read_retry_delay(struct failure *failure, const json_t *detail)
{
    const char *delay = json_string_value(json_object_get(detail, "retryDelay"));
    char *end;

    if (!delay)
        return;
    double seconds = strtod(delay, &end);
    if (end != delay && seconds >= 0 && seconds < 1e7)
        failure->retry_after_ms = (int64_t)(seconds * 1000);
}

static void
read_quota_ids(struct failure *failure, const json_t *detail)
{
    json_t *violation;
    size_t i;

    json_array_foreach (json_object_get(detail, "violations"), i, violation) {
        const char *id = json_string_value(json_object_get(violation, "quotaId"));
        if (says(id, "PerDay"))
            failure->kind = FAIL_QUOTA;
    }
}

static void
read_details(struct failure *failure, const json_t *error)
{
    json_t *detail;
    size_t i;

    json_array_foreach (json_object_get(error, "details"), i, detail) {
        read_retry_delay(failure, detail);
        read_quota_ids(failure, detail);
    }
}

/* --- shapes of error objects --- */

static const char *
text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static const char *
first_detail(const json_t *object)
{
    const json_t *detail = json_object_get(object, "detail");

    if (json_is_array(detail)) {
        const json_t *first = json_array_get(detail, 0);
        return json_is_string(first) ? json_string_value(first) : text_of(first, "msg");
    }
    return json_string_value(detail);
}

static void read_error_object(struct failure *failure, const json_t *error, int depth);

/* Some proxies put the whole JSON error into the message of another. */
static bool
read_nested(struct failure *failure, const char *message, int depth)
{
    if (depth > 0 || !message || message[0] != '{')
        return false;
    json_auto_t *inner = json_loads(message, 0, NULL);
    const json_t *error = json_object_get(inner, "error");
    if (!json_is_object(error))
        return false;
    read_error_object(failure, error, depth + 1);
    return true;
}

static void
read_error_object(struct failure *failure, const json_t *error, int depth)
{
    const json_t *code = json_object_get(error, "code");
    const char *message = text_of(error, "message");
    const char *type = text_of(error, "type");
    const char *word =
        json_is_string(code) ? json_string_value(code) : text_of(error, "status");

    if (read_nested(failure, message, depth))
        return;
    if (failure->status == 0 && json_integer_value(code) >= 300 &&
        json_integer_value(code) <= 599)
        failure->status = (int)json_integer_value(code);
    failure->kind = failure->status ? kind_of_status(failure->status) : FAIL_SERVER;
    (void)find_meaning(word, type, message, &failure->kind);
    failure_clean(failure->code, sizeof(failure->code), slice_of(word ? word : type));
    failure_clean(failure->param, sizeof(failure->param),
                  slice_of(text_of(error, "param")));
    failure_clean(failure->text, sizeof(failure->text), slice_of(message));
    read_context(failure, error, message);
    read_details(failure, error);
}

static bool
read_any(struct failure *failure, const json_t *body)
{
    const json_t *root = json_is_array(body) ? json_array_get(body, 0) : body;
    const json_t *error = json_object_get(root, "error");
    const char *text = json_string_value(error);

    if (json_is_object(error)) {
        read_error_object(failure, error, 0);
        return true;
    }
    if (!text)
        text = text_of(root, "message");
    if (!text)
        text = first_detail(root);
    if (!text)
        return false;
    failure->kind = failure->status ? kind_of_status(failure->status) : FAIL_SERVER;
    (void)find_meaning(NULL, NULL, text, &failure->kind);
    failure_clean(failure->text, sizeof(failure->text), slice_of(text));
    return true;
}

bool
failure_from_json(struct failure *failure, const json_t *event)
{
    const json_t *error = json_object_get(event, "error");

    if (!error || json_is_null(error))
        return false;
    return read_any(failure, event);
}

/* Proxies answer in HTML: its words without its tags. */
static void
read_plain(struct failure *failure, struct slice body)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(sizeof(failure->text));
    bool in_tag = false;

    for (size_t i = 0; i < body.len; i++) {
        char c = body.data[i];
        if (c == '<')
            in_tag = true;
        else if (c == '>' && in_tag)
            in_tag = false, c = ' ';
        if (!in_tag && buffer_append(&text, &c, 1) < 0)
            break;
    }
    failure_clean(failure->text, sizeof(failure->text), buffer_slice(&text));
}

void
failure_from_http(struct failure *failure, int status, struct slice body)
{
    json_auto_t *json = json_loadb(body.data, body.len, 0, NULL);

    failure->status = status;
    failure->kind = kind_of_status(status);
    if (!json || !read_any(failure, json))
        read_plain(failure, body);
    if (status >= 300 && status < 400)
        failure_set(failure, FAIL_PROTOCOL, "it is a redirect, which is not followed");
}

static bool
is_worth_a_retry(const struct failure *failure)
{
    if (failure->kind == FAIL_QUOTA || failure->kind == FAIL_AUTH)
        return false;
    if (failure->should_retry >= 0)
        return failure->should_retry;
    return failure_may_pass(failure->kind);
}

static void
tell_long_wait(struct failure *failure)
{
    char text[sizeof(failure->text)];

    snprintf(text, sizeof(text), "asks to wait %lld s%s%.200s",
             (long long)(failure->retry_after_ms / 1000), failure->text[0] ? ": " : "",
             failure->text);
    memcpy(failure->text, text, sizeof(text));
}

int64_t
failure_retry_ms(struct failure *failure, unsigned retries, double random)
{
    const struct retry_state state = {.retries = retries,
                                      .left_ms = RETRY_NO_DEADLINE,
                                      .asked_ms = failure->retry_after_ms,
                                      .random = random};

    if (!is_worth_a_retry(failure))
        return -1;
    const int64_t wait = retry_wait_ms(RETRY_MODEL, &state);
    if (wait < 0 && retry_is_asked_too_much(RETRY_MODEL, failure->retry_after_ms))
        tell_long_wait(failure);
    return wait;
}

char *
failure_sentence(const struct failure *failure, const char *provider,
                 const char *remedy)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer facts = BUFFER_INIT(SIZE_MAX);

    if (failure->status)
        buffer_printf(&facts, "HTTP %d", failure->status);
    if (failure->text[0])
        buffer_printf(&facts, "%s%s", facts.len ? ": " : "", failure->text);
    if (failure->request_id[0])
        buffer_printf(&facts, "%srequest %s", facts.len ? "; " : "",
                      failure->request_id);
    buffer_printf(&text, "%s %s", provider, kinds[failure->kind].did);
    if (facts.len)
        buffer_printf(&text, " (%s)", facts.data);
    buffer_printf(&text, ": %s.", remedy ? remedy : kinds[failure->kind].remedy);
    return TAKE(text.data);
}
