/*
 * api: the HTTP API of docs/sandbox-protocol.md, as a table of routes.
 */
#pragma once

#include "sandbox/http_request.h"
#include "sandbox/pool.h"

/* The handlers' context is the pool. */
const struct route *api_routes(size_t *count);
