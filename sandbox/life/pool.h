/*
 * pool: all sandboxes of this daemon.
 */
#pragma once

#include "sandbox/life/sandbox.h"

struct pool;

typedef void (*pool_fn)(void *context);

/* host->on_gone, host->context and host->tally are the pool's to fill in; the rest is
 * copied. */
struct pool *pool_new(const struct sandbox_host *host, unsigned capacity);
/* --runtime-api open: who reaches us over TCP may use the default sandbox. */
void pool_open(struct pool *pool);
bool pool_is_open(const struct pool *pool);
/* --token-file: what a claim from another machine must know. Copied; NULL: nothing. */
void pool_set_claim_key(struct pool *pool, const char *key);
const char *pool_claim_key(const struct pool *pool);
void pool_free(struct pool *pool);

/* Who claims. */
struct claimant {
    int socket;     /* of `owner` */
    bool is_remote; /* see claim_check_remote */
};

/* The sandbox of this claim's task_id, new or not. */
struct sandbox *pool_claim(struct pool *pool, struct slice body,
                           const struct claimant *claimant, bool *created,
                           struct error *err) MUST_CHECK;
/* The sandbox of agent-sandbox's clients; made when there is none. */
struct sandbox *pool_default(struct pool *pool, struct error *err) MUST_CHECK;
bool pool_is_warm(const struct pool *pool); /* a claim in a pod would not wait */
struct sandbox *pool_find(struct pool *pool, struct slice id); /* borrowed, or NULL */
struct sandbox *pool_find_token(struct pool *pool, const char *token); /* likewise */
json_t *pool_describe(struct pool *pool); /* an array; a new reference */

unsigned pool_capacity(const struct pool *pool);
const struct tally *pool_tally(const struct pool *pool);
uint64_t pool_claims(const struct pool *pool); /* that were granted, ever */
size_t pool_count(const struct pool *pool);    /* those that are ending included */
void pool_close(struct pool *pool); /* ends them all, and takes no claim any more */
/* They will end in ms at the latest: tells their clients, and takes no claim. */
void pool_warn(struct pool *pool, int64_t ms);
bool pool_is_closed(const struct pool *pool);   /* by either of them */
bool pool_is_attended(const struct pool *pool); /* some client reads events */
/* done is called once every process of the sandbox is gone. */
void pool_end(struct pool *pool, struct sandbox *sandbox, pool_fn done, void *context);
/* Called whenever a sandbox is gone. */
void pool_on_gone(struct pool *pool, pool_fn on_gone, void *context);

static inline void
auto_pool(struct pool **pool)
{
    pool_free(*pool);
}
