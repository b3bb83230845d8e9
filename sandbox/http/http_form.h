/*
 * http_form: multipart/form-data, by libmicrohttpd's post processor.
 */
#pragma once

#include "sandbox/http/http_request.h"

struct http_form;

/* Bytes of a part, as they come; offset 0 begins a part. name: the name of its file, or
 * NULL. */
typedef int (*http_part_fn)(void *context, const char *key, const char *name,
                            uint64_t offset, struct slice data, struct error *err);

/* NULL: the body is not a form. */
struct http_form *http_form_new(struct http_request *request, http_part_fn on_part,
                                void *context);
int http_form_read(struct http_form *form, const char *data, size_t len,
                   struct error *err) MUST_CHECK;
void http_form_free(struct http_form *form);
