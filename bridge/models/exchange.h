/*
 * exchange: one HTTP request to a model server, with deadlines and bounds.
 *
 * The body of a good answer is passed on as it comes; that of an error is kept, up to a
 * limit. Redirects are not followed, since libcurl would send the key to the new
 * address. Idle means that no byte came; keep-alive comments count as bytes.
 */
#pragma once

#include "bridge/models/alarms.h"
#include "bridge/models/failure.h"
#include "bridge/models/secret.h"
#include "common/buffer.h"
#include "common/http/http_pool.h"

struct exchange;

struct exchange_spec {
    struct http_pool *pool;
    struct alarms *alarms;
    const char *url;
    struct slice body;         /* copied; data NULL: a GET */
    const char *headers[3];    /* copied; NULL ones are left out */
    const char *secret_prefix; /* of the header line with the secret */
    const struct secret *secret;
    const char *ca_file; /* NULL: those that the system trusts */
    int64_t connect_ms, first_byte_ms, idle_ms;

    /* Called from inside libcurl: take the bytes and do not call back. False: no more
     * bytes are wanted, and on_done follows with success. */
    bool (*on_bytes)(struct slice bytes, void *context);

    /* Called once, unless cancelled, with NULL when a 2xx answer came to its end. The
     * exchange is gone when it returns. */
    void (*on_done)(const struct failure *failure, void *context);
    void *context;
};

struct exchange *exchange_start(const struct exchange_spec *spec,
                                struct error *err) MUST_CHECK;
void
exchange_cancel(struct exchange *exchange); /* closes the connection; NULL is fine */
