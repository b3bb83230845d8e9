/*
 * api: calls to one API server, on the kernel's loop.
 *
 * Gets credentials before each call (a token file is read again; an exec plugin is
 * asked when its credentials have expired). Retries a call that was not answered or
 * that the server is too busy for (429 and 5xx, after the time that Retry-After says).
 * After a 401, an exec plugin is asked once more. So a call may reach the server twice:
 * use this only for calls where that makes no difference.
 */
#pragma once

#include "common/http/http_pool.h"
#include "kube/problem.h"

struct kube_api;
struct kube_call;

struct kube_answer {
    long status; /* 0: none. 2xx: done; else problem says why not */
    struct slice body;
    struct kube_problem problem;
};

typedef void kube_done_fn(void *context, const struct kube_answer *answer);

struct kube_request {
    const char *method, *path;   /* from /api or /apis on, with its query; copied */
    const char *content_type;    /* NULL: application/json */
    const json_t *body;          /* NULL: none */
    struct kube_subject subject; /* its strings outlive the call */
    long timeout_ms;
    int64_t patience_ms;   /* for tries; 0: one try */
    int64_t silence_ms;    /* the same, while it cannot be reached; 0: patience_ms */
    http_data_fn *on_data; /* a watch: as in http_pool.h */
    /* called once for each failed try, before the next; may be NULL */
    void (*on_retry)(void *context, const char *why);
    kube_done_fn *on_done; /* exactly once, unless cancelled */
    void *context;
};

/* Takes what access holds. */
struct kube_api *kube_api_new(zloop_t *loop, struct kube_access *access);
void kube_api_free(struct kube_api *api); /* cancels all calls */
const struct kube_access *kube_api_access(const struct kube_api *api);
/* The server's clock minus ours, as its last answer told. False: none has told yet. */
bool kube_api_skew(const struct kube_api *api, time_t *out);

struct kube_call *kube_api_start(struct kube_api *api,
                                 const struct kube_request *request);
void kube_api_cancel(struct kube_call *call);
/* Prevents further tries: the call ends with the one that is under way, or, if none is,
 * before this returns. */
void kube_api_stop_trying(struct kube_call *call);
