/*
 * runtime_api: kubernetes-sigs/agent-sandbox's runtime API, for its published clients.
 *
 * Answered from one sandbox, the default one: over TCP that of the token, if the client
 * sends one; else one that is made with the first call that needs it. Over TCP that one
 * is open to whoever reaches the port, so it is there only where sandboxd was started
 * with --runtime-api open.
 */
#pragma once

#include "sandbox/http/http_request.h"

/* Rows of the API's table. */
void runtime_api_get_root(struct http_request *request);
void runtime_api_execute(struct http_request *request);
void runtime_api_execute_python(struct http_request *request);
void runtime_api_upload(struct http_request *request);
void runtime_api_download(struct http_request *request);
void runtime_api_list(struct http_request *request);
void runtime_api_exists(struct http_request *request);
void runtime_api_get_file(struct http_request *request);
void runtime_api_put_file(struct http_request *request);
void runtime_api_delete_file(struct http_request *request);
void runtime_api_get_metadata(struct http_request *request);
