/*
 * access: who may call what, over TCP.
 *
 * On the unix socket the peer's user is checked (httpd), and that user may do all. Over
 * TCP a path needs the token of its sandbox, but for routes that say ROUTE_OPEN; a
 * claim, which gets such a token, needs the key of --token-file.
 */
#pragma once

#include "sandbox/http/http_request.h"

/* For httpd_spec.admit. -1: refused, before a byte of the body was read. */
int access_by_token(struct http_request *request, struct error *err) MUST_CHECK;
int access_without_token(struct http_request *request, struct error *err) MUST_CHECK;

#define ACCESS_TOKEN_HEADER "X-Cellpod-Token"
#define ACCESS_KEY_HEADER   "X-Cellpod-Key"
