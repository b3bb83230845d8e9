/*
 * failure: how a turn with a model can go wrong, and what a server said about it.
 *
 * Servers report errors in a dozen formats, often in one of another provider, so
 * reading them does not depend on the provider. Everything here is pure. Text from a
 * server is shortened and cleaned of control characters before it is kept.
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"

/* kind, name in metadata, whether it may pass by itself, what the provider did, what to
 * do */
#define FAILURE_KINDS(X)                                                           \
    X(AUTH, "auth", false, "rejected the key", "check the key")                    \
    X(QUOTA, "quota", false, "reports that its credit or quota is used up",        \
      "check the account's billing and limits, or use another provider")           \
    X(RATE, "rate", true, "is receiving too many requests", "try again later")     \
    X(CONTEXT, "context", false, "cannot take a question this long",               \
      "delete data that the question does not need, or use a model with a larger " \
      "context")                                                                   \
    X(REQUEST, "bad_request", false, "rejected the request",                       \
      "check the model's name and the address (see `%ask --models`)")              \
    X(NETWORK, "network", true, "cannot be reached",                               \
      "check the address and the network")                                         \
    X(TLS, "tls", false, "cannot be reached securely",                             \
      "check the address and its certificate")                                     \
    X(TIMEOUT, "timeout", true, "did not answer in time",                          \
      "try again, or raise the time limit")                                        \
    X(SERVER, "server", true, "reports an internal error", "try again later")      \
    X(PROTOCOL, "protocol", false, "sent something other than a model's answer",   \
      "check the address and which API it speaks")                                 \
    X(TRUNCATED, "truncated", true, "stopped in the middle of its answer",         \
      "try again")                                                                 \
    X(EMPTY, "empty", false, "gave an empty answer", "rephrase the question")      \
    X(LENGTH, "length", false, "did not finish within the limit for an answer",    \
      "raise max_tokens")                                                          \
    X(FILTERED, "filtered", false, "withheld its answer", "rephrase the question") \
    X(REFUSED, "refused", false, "refused the question", "rephrase the question")  \
    X(CANCELLED, "cancelled", false, "was interrupted", "ask again")               \
    X(CONFIG, "config", false, "is not set up", "see docs/ask.md")

enum failure_kind {
#define X(kind, name, passes, did, remedy) FAIL_##kind,
    FAILURE_KINDS(X)
#undef X
};

struct failure {
    enum failure_kind kind;
    int status; /* HTTP's, 0 when there was none */
    char text[320];
    char code[64], param[64], request_id[128];
    int64_t retry_after_ms; /* -1: the server did not say */
    int should_retry;       /* x-should-retry: -1 not said, 0, 1 */
    long context_tokens;    /* what the model takes, 0 when not said */
};

#define FAILURE_INIT                              \
    {                                             \
        .retry_after_ms = -1, .should_retry = -1, \
    }

const char *failure_name(enum failure_kind kind);
bool failure_may_pass(enum failure_kind kind);

void failure_set(struct failure *failure, enum failure_kind kind, const char *fmt, ...)
    PRINTF(3, 4);

/* From an HTTP status and body; the headers' facts are the caller's to fill in. */
void failure_from_http(struct failure *failure, int status, struct slice body);

/* From an object in a stream that has an "error"; false when it has none. */
bool failure_from_json(struct failure *failure, const json_t *event);

/* Milliseconds until the next try; -1: there is none. `retries` so far, 0 <= random <
 * 1. If the server asks for too long a wait, failure->text says so. */
int64_t failure_retry_ms(struct failure *failure, unsigned retries, double random);

/* One sentence: which provider, what happened, what to do. `remedy` replaces the kind's
 * own if not NULL. */
char *failure_sentence(const struct failure *failure, const char *provider,
                       const char *remedy);

/* Makes text safe to show: UTF-8, no control characters, blanks merged, cut to the
 * size. */
void failure_clean(char *out, size_t size, struct slice text);
