/*
 * api: the HTTP API of docs/sandbox-protocol.md, as a table of routes.
 */
#pragma once

#include "sandbox/http/http_request.h"
#include "sandbox/life/pool.h"

/* The handlers' context is the pool. */
const struct route *api_routes(size_t *count);
