/*
 * api: calls to one API server, on the kernel's loop.
 *
 * Finds credentials before each call (a token file is read again, an exec plugin asked
 * when its credentials run out), tries again what the server is too busy for (429 and
 * 5xx, after as long as Retry-After says) or did not answer, and asks an exec plugin
 * once anew when the server says 401. So a call may reach the server twice: only such
 * belong here for which that makes no difference.
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
    int64_t silence_ms;    /* where nobody answers; 0: the same */
    http_data_fn *on_data; /* a watch: as in http_pool.h */
    /* once for each try that failed, before the next; NULL: nobody listens */
    void (*on_retry)(void *context, const char *why);
    kube_done_fn *on_done; /* exactly once, unless cancelled */
    void *context;
};

/* Takes what access holds. */
struct kube_api *kube_api_new(zloop_t *loop, struct kube_access *access);
void kube_api_free(struct kube_api *api); /* cancels all calls */
const struct kube_access *kube_api_access(const struct kube_api *api);

struct kube_call *kube_api_start(struct kube_api *api,
                                 const struct kube_request *request);
void kube_api_cancel(struct kube_call *call);
/* No further try: it ends with the one that is under way, or now, before this returns.
 */
void kube_api_stop_trying(struct kube_call *call);
