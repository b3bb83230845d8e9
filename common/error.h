/*
 * error: how a function says what went wrong.
 *
 * A function that can fail takes `struct error *err` last and returns 0 or -1 (or a
 * pointer and NULL). On success *err is unchanged. On failure the outputs are
 * unchanged, and nothing needs to be freed. A struct error owns nothing: declare it,
 * drop it.
 */
#pragma once

#include "common/base.h"

/* Each kind exists because some caller acts on it. Columns: kind, API code, HTTP
 * status, whether to retry. */
#define ERROR_KINDS(X)                                                            \
    X(BAD_INPUT, "bad_input", 400, false)    /* the peer sent something wrong */  \
    X(DENIED, "denied", 403, false)          /* signature, token or policy */     \
    X(NOT_FOUND, "not_found", 404, false)    /* no such sandbox or request */     \
    X(CONFLICT, "conflict", 409, false)      /* not in this state */              \
    X(GONE, "gone", 410, false)              /* it was kept once */               \
    X(TOO_LARGE, "too_large", 413, false)    /* over a limit of limits.h */       \
    X(BUSY, "busy", 429, true)               /* no room right now */              \
    X(SYSTEM, "system", 500, false)          /* a system call failed, see sys */  \
    X(ISOLATION, "isolation", 500, false)    /* a layer is not available */       \
    X(UNAVAILABLE, "unavailable", 503, true) /* the peer is gone or not up yet */ \
    X(TIMEOUT, "timeout", 504, true)         /* a deadline passed */

enum error_kind {
#define X(kind, code, http, retry) ERR_##kind,
    ERROR_KINDS(X)
#undef X
};

struct error {
    enum error_kind kind;
    int sys; /* errno, for ERR_SYSTEM */
    char text[512];
};

/* Each is an expression of value -1, so `return error_set(...)` is the failure path.
 * Macros, so that the compiler sees the -1 and its flow analysis stays exact. */
#define error_set(err, kind, ...) (error_format(err, kind, __VA_ARGS__), -1)
#define error_sys(err, ...)       (error_format_sys(err, __VA_ARGS__), -1)
#define error_wrap(err, ...)      (error_prefix(err, __VA_ARGS__), -1)

void error_format(struct error *err, enum error_kind kind, const char *fmt, ...)
    PRINTF(3, 4);
void error_format_sys(struct error *err, const char *fmt, ...) PRINTF(2, 3);
void error_prefix(struct error *err, const char *fmt, ...) PRINTF(2, 3);

const char *error_code(enum error_kind kind); /* as in the HTTP API's errors */
unsigned error_http_status(enum error_kind kind);
bool error_is_retryable(enum error_kind kind);
