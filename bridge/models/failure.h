/*
 * failure: how a turn with a model can go wrong, and what a server said about it.
 *
 * Servers word errors in a dozen shapes, and often in another's: reading them does not
 * depend on the provider. Everything here is pure. What a server said is cut short and
 * freed of control characters before it is kept.
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"

/* kind, name in metadata, may it pass by itself, what the provider did, what to do */
#define FAILURE_KINDS(X)                                                          \
    X(AUTH, "auth", false, "refused the key", "check the key")                    \
    X(QUOTA, "quota", false, "says that its credit or quota is used up",          \
      "look at the account's billing and limits, or take another provider")       \
    X(RATE, "rate", true, "gets too many requests", "try again later")            \
    X(CONTEXT, "context", false, "cannot take a question of this size",           \
      "drop data that the question does not need, or take a model with a larger " \
      "context")                                                                  \
    X(REQUEST, "bad_request", false, "did not accept the request",                \
      "check the model's name and the address, see `%ask --models`")              \
    X(NETWORK, "network", true, "cannot be reached",                              \
      "check the address and the network")                                        \
    X(TLS, "tls", false, "cannot be reached safely",                              \
      "check the address and its certificate")                                    \
    X(TIMEOUT, "timeout", true, "did not answer in time",                         \
      "try again, or raise the time limit")                                       \
    X(SERVER, "server", true, "has trouble", "try again later")                   \
    X(PROTOCOL, "protocol", false,                                                \
      "answered with something else than a model's answer",                       \
      "check the address and which api it speaks")                                \
    X(TRUNCATED, "truncated", true, "broke off in the middle of its answer",      \
      "try again")                                                                \
    X(EMPTY, "empty", false, "gave an empty answer",                              \
      "put the question in other words")                                          \
    X(LENGTH, "length", false, "did not finish within the limit for an answer",   \
      "raise max_tokens")                                                         \
    X(FILTERED, "filtered", false, "withheld its answer",                         \
      "put the question in other words")                                          \
    X(REFUSED, "refused", false, "refused the question",                          \
      "put the question in other words")                                          \
    X(CANCELLED, "cancelled", false, "was interrupted", "ask again")              \
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

/* From an object in a stream that says "error"; false when it says none. */
bool failure_from_json(struct failure *failure, const json_t *event);

/* Milliseconds until the next try, -1: there is none. `retries` so far, 0 <= random
 * < 1. That the server asks for too long a wait is then said in failure->text. */
int64_t failure_retry_ms(struct failure *failure, unsigned retries, double random);

/* One sentence: who, what happened, what to do. `remedy` replaces the kind's own if not
 * NULL. */
char *failure_sentence(const struct failure *failure, const char *provider,
                       const char *remedy);

/* A person may read it: UTF-8, no control characters, blanks merged, cut to the size.
 */
void failure_clean(char *out, size_t size, struct slice text);
