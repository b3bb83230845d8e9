/*
 * token: access tokens that expire, for Vertex AI.
 *
 * From the metadata server of the machine (a pod on GKE, a VM), or from a command that
 * the user configured, which prints a token or {"access_token", "expires_in"}. Kept in
 * locked memory until a minute before they expire.
 */
#pragma once

#include "bridge/models/endpoint.h"
#include "bridge/models/exchange.h"

struct token;

struct token *token_new(zloop_t *loop, struct http_pool *pool, struct alarms *alarms);
void token_free(struct token *token);

/* Called once for each token_get, from the loop; `key` is borrowed during the call, and
 * NULL with a failure. */
typedef void token_fn(const struct secret *key, const struct failure *failure,
                      void *context);

/* One call at a time. It always answers through `ready`, never before it returns. */
void token_get(struct token *token, const struct endpoint *endpoint, token_fn *ready,
               void *context);
void token_cancel(struct token *token);
void token_forget(struct token *token); /* the server did not take it */

static inline void
auto_token(struct token **token)
{
    token_free(*token);
}
