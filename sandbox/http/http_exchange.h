/*
 * http_exchange: one request and its answer, between libmicrohttpd and a handler.
 *
 * Finds the route, checks the peer and the size of what it sends, collects the body,
 * calls the handler, and sends the handler's answer.
 */
#pragma once

#include "sandbox/http/http_connection.h"

/* Callbacks for libmicrohttpd: for more of a request, and for its end. context is the
 * http_service. */
enum MHD_Result http_exchange_proceed(void *context, struct MHD_Connection *connection,
                                      const char *url, const char *method,
                                      const char *version, const char *data,
                                      size_t *len, void **state);
void http_exchange_end(void *context, struct MHD_Connection *connection, void **state,
                       enum MHD_RequestTerminationCode code);
