/*
 * http_reply: the answers that only this room gives; those of handlers are in
 * http_request.h.
 */
#pragma once

#include "sandbox/http/http_connection.h"

/* Takes response. */
void http_reply_response(struct http_request *request, unsigned status,
                         struct MHD_Response *response, const char *type);
void http_reply_code(struct http_request *request, unsigned status, const char *code,
                     const char *message);
