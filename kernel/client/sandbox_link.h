/*
 * sandbox_link: makes one HTTP call to sandboxd about our sandbox.
 *
 * docs/sandbox-protocol.md section 5. The address comes from the place, id and token
 * from the answer to the claim.
 */
#pragma once

#include "kernel/place/place.h"

struct sandbox_link {
    struct http_pool *pool; /* borrowed; the rest is owned */
    char *url, *unix_path;
    char **headers;          /* NULL-terminated, or NULL */
    char *claim_header;      /* NULL: none */
    char *id, *token_header; /* NULL before the claim */
};

void sandbox_link_set_address(struct sandbox_link *link,
                              const struct sandbox_address *address);
void sandbox_link_forget(struct sandbox_link *link); /* id and token */
void sandbox_link_copy(struct sandbox_link *out, const struct sandbox_link *link);
void sandbox_link_release(struct sandbox_link *link);

/* path is below /v1/sandboxes, and begins with a slash. The caller fills in what to
 * call; the address is filled in here. */
struct http_call *sandbox_link_call(const struct sandbox_link *link, const char *path,
                                    struct http_request request);
/* Whether it answers at all. */
struct http_call *sandbox_link_ask_health(const struct sandbox_link *link,
                                          struct http_request request);

bool sandbox_link_is_success(const struct http_result *result);

/* True if nothing listens any more where a sandboxd on this machine did: it is dead,
 * and our sandbox with it. Any other silence may end. */
bool sandbox_link_is_dead(const struct sandbox_link *link,
                          const struct http_result *result);

/* What to tell the user of a call that did not succeed. */
void sandbox_link_refusal(const struct sandbox_link *link,
                          const struct http_result *result, struct error *err);
