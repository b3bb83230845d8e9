/*
 * credentials: what the next call shows to the API server: a token or a certificate.
 */
#pragma once

#include <czmq.h>

#include "common/http/curl_library.h"
#include "kube/access/exec_credential.h"

struct credentials;

struct credentials *credentials_new(zloop_t *loop, const struct kube_access *access);
void credentials_free(struct credentials *credentials);

/* Calls `done` once there are credentials, or none can be had, perhaps before this
 * returns. One caller at a time; a further call replaces the first. is_refused: the
 * server did not accept the current ones. */
typedef void credentials_done_fn(void *context, const struct error *err);
void credentials_get(struct credentials *credentials, bool is_refused,
                     credentials_done_fn *done, void *context);
/* No callback follows. */
void credentials_leave(struct credentials *credentials);

/* Whether new ones can be got when these are refused. */
bool credentials_can_change(const struct credentials *credentials);

/* "Authorization: Bearer …", or NULL for none; the caller's, a secret. */
char *credentials_header(const struct credentials *credentials);
/* The certificate and its key, if there are any. */
void credentials_apply(const struct credentials *credentials, CURL *easy);
