/*
 * turn: one question to one model until it is answered: tokens, retries, fields that a
 * server refuses, an answer that was cut short for length.
 *
 * Knows nothing about code, data or repair. If an answer breaks off, the part that came
 * is thrown away: the next try starts from the beginning.
 */
#pragma once

#include "bridge/models/cache.h"
#include "bridge/models/conversation.h"
#include "bridge/models/exchange.h"
#include "bridge/models/local.h"
#include "bridge/models/model_api.h"
#include "bridge/models/token.h"

struct turn;

struct turn_news {
    enum {
        TURN_SENT,    /* the request is out */
        TURN_WRITING, /* `bytes` of the answer so far, or of reasoning */
        TURN_WAITING, /* `failure` is about to be tried again, in wait_ms */
    } what;
    size_t bytes, reasoning_bytes;
    int64_t wait_ms;
    const struct failure *failure;
};

struct turn_end {
    const struct failure *failure; /* NULL: it was answered, see reply */
    struct reply *reply;           /* text may be taken out of it */
    bool from_cache;
    int retries; /* of the network's sort */
    int64_t ms;  /* from the start, waits included */
    const char *cache_key;
    const json_t *plan; /* of a local answer */
};

struct turn_spec {
    struct http_pool *pool;
    struct alarms *alarms;
    struct token *token;
    struct endpoint *endpoint;               /* learns what its server refuses */
    const struct conversation *conversation; /* lives until the end */
    bool use_cache;
    local_answer_fn *local; /* for wires that are local, with this request: */
    struct local_request local_request;
    void (*on_news)(const struct turn_news *news, void *context);
    void (*on_end)(const struct turn_end *end,
                   void *context); /* once, unless cancelled */
    void *context;
};

struct turn *turn_start(const struct turn_spec *spec);
void turn_cancel(struct turn *turn); /* at once; NULL is fine */

/* What turn_start would send, for people to read; no key is in it. */
char *turn_describe(const struct endpoint *endpoint,
                    const struct conversation *conversation);
