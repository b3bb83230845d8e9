#include "kube/api.h"

#include <sys/queue.h>

#include "common/limits.h"
#include "common/retry.h"
#include "common/timer.h"
#include "kube/access/credentials.h"

#define LOG_COMPONENT "kube"
#include "common/log.h"

#define CONNECT_MS 10000

struct kube_call {
    TAILQ_ENTRY(kube_call) link;
    struct kube_api *api;
    struct kube_request request; /* its method, path, content_type are ours */
    char *method, *path, *content_type, *body;
    struct http_call *http; /* NULL: waits for credentials or its timer */
    struct timer timer;
    int64_t began, deadline;
    unsigned retries;
    bool was_refused; /* 401 came, with credentials that can change */
    bool is_waiting;  /* for credentials */
    bool wants_other; /* than those that there are */
    struct curl_slist *connect_to;
};

struct kube_api {
    zloop_t *loop;
    struct http_pool *pool;
    struct kube_access access;
    struct credentials *credentials;
    bool is_asking; /* for credentials */
    bool has_skew;
    time_t skew; /* of the server's clock, as of its last answer */
    TAILQ_HEAD(, kube_call) calls;
};

static void ask_credentials(struct kube_api *api);

struct kube_api *
kube_api_new(zloop_t *loop, struct kube_access *access)
{
    struct kube_api *api = xcalloc(1, sizeof(*api));

    api->loop = loop;
    api->pool = http_pool_new(loop);
    api->access = *access;
    *access = (struct kube_access){0};
    api->credentials = credentials_new(loop, &api->access);
    TAILQ_INIT(&api->calls);
    return api;
}

void
kube_api_free(struct kube_api *api)
{
    struct kube_call *call;

    if (!api)
        return;
    while ((call = TAILQ_FIRST(&api->calls)))
        kube_api_cancel(call);
    credentials_free(api->credentials);
    http_pool_free(api->pool);
    kube_access_release(&api->access);
    free(api);
}

const struct kube_access *
kube_api_access(const struct kube_api *api)
{
    return &api->access;
}

bool
kube_api_skew(const struct kube_api *api, time_t *out)
{
    *out = api->skew;
    return api->has_skew;
}

void
kube_api_cancel(struct kube_call *call)
{
    TAILQ_REMOVE(&call->api->calls, call, link);
    if (call->http)
        http_pool_cancel(call->http);
    timer_cancel(&call->timer);
    free(call->method);
    free(call->path);
    free(call->content_type);
    free(call->body);
    if (call->connect_to)
        curl.slist_free_all(call->connect_to);
    free(call);
}

/* --- the end of a call --- */

static void
finish(struct kube_call *call, const struct kube_answer *answer)
{
    kube_done_fn *done = call->request.on_done;
    void *context = call->request.context;

    kube_api_cancel(call); /* what is left of it */
    done(context, answer);
}

static void
fail(struct kube_call *call, const struct error *err)
{
    struct kube_answer answer = {.body = SLICE("")};

    snprintf(answer.problem.message, sizeof(answer.problem.message), "%s", err->text);
    snprintf(answer.problem.remedy, sizeof(answer.problem.remedy),
             "For details, run `%.120s get --raw /version'.",
             call->api->access.kubectl);
    finish(call, &answer);
}

void
kube_api_stop_trying(struct kube_call *call)
{
    struct error err;

    call->deadline = 0;
    if (call->http)
        return;
    error_format(&err, ERR_UNAVAILABLE, "given up");
    fail(call, &err);
}

static bool
is_success(long status)
{
    return status >= 200 && status < 300;
}

/* A certificate that is not good will not become so. */
static bool
is_worth_a_retry(const struct http_result *result)
{
    if (result->status == 0)
        return result->error.kind != ERR_DENIED;
    return result->status == 429 || (result->status >= 500 && result->status <= 504);
}

static void
begin_try(void *context)
{
    struct kube_call *call = context;

    call->is_waiting = true;
    ask_credentials(call->api);
}

/* Wait less long for a server that is not there; one that is slow, is there. */
static int64_t
deadline_of(const struct kube_call *call, const struct http_result *result)
{
    int64_t silence = call->request.silence_ms;

    if (result->status == 0 && result->error.kind != ERR_TIMEOUT && silence &&
        call->began + silence < call->deadline)
        return call->began + silence;
    return call->deadline;
}

/* How long until the next try; -1: there is none. The reader of a stream that was cut
 * resumes it itself: where it was, not from the start. */
static int64_t
next_wait(const struct kube_call *call, const struct http_result *result)
{
    const struct retry_state state = {
        .retries = call->retries,
        .left_ms = deadline_of(call, result) - zclock_mono(),
        .asked_ms = (int64_t)result->retry_after_s * 1000,
    };

    if (!is_worth_a_retry(result) || (result->status == 0 && call->request.on_data))
        return -1;
    return retry_wait_ms(RETRY_KUBE_CALL, &state);
}

static bool
try_again(struct kube_call *call, const struct http_result *result,
          const struct kube_problem *problem)
{
    const int64_t wait = next_wait(call, result);

    if (wait < 0)
        return false;
    log_info("again method=%s status=%ld wait_ms=%lld", call->method, result->status,
             (long long)wait);
    call->retries++;
    timer_set(&call->timer, call->api->loop, wait, begin_try, call);
    if (call->request.on_retry)
        call->request.on_retry(call->request.context, problem->message);
    return true;
}

static void
on_done(void *context, const struct http_result *result)
{
    struct kube_call *call = context;
    struct kube_answer answer = {.status = result->status, .body = result->body};

    call->http = NULL;
    if (result->date) {
        call->api->has_skew = true;
        call->api->skew = result->date - time(NULL);
    }
    if (is_success(result->status)) {
        finish(call, &answer);
        return;
    }
    if (result->status == 401 && !call->was_refused &&
        credentials_can_change(call->api->credentials)) {
        call->was_refused = call->wants_other = call->is_waiting = true;
        ask_credentials(call->api);
        return;
    }
    kube_problem_of_answer(&call->api->access, &call->request.subject, result->status,
                           result->body, &result->error, &answer.problem);
    if (!try_again(call, result, &answer.problem))
        finish(call, &answer);
}

/* --- a try --- */

/* The URL has the name that the certificate must have; the address to connect to is
 * given separately. */
static char *
url_with_tls_name(struct kube_call *call)
{
    const struct kube_access *access = &call->api->access;
    CURLU *url = curl.url();
    char *host = NULL, *text = NULL, *copy = NULL;

    if (url && curl.url_set(url, CURLUPART_URL, access->server, 0) == CURLUE_OK &&
        curl.url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
        curl.url_set(url, CURLUPART_HOST, access->tls_name, 0) == CURLUE_OK &&
        curl.url_get(url, CURLUPART_URL, &text, CURLU_NO_DEFAULT_PORT) == CURLUE_OK) {
        AUTO(mem) char *entry = xasprintf("::%s:", host);
        size_t len = strlen(text);
        curl.slist_free_all(call->connect_to);
        call->connect_to = curl.slist_append(NULL, entry);
        copy = xasprintf("%.*s%s", (int)(len && text[len - 1] == '/' ? len - 1 : len),
                         text, call->path);
    }
    curl.free(host);
    curl.free(text);
    curl.url_cleanup(url);
    return copy;
}

/* A name that fits into no URL leaves the server's own: then no certificate will fit.
 */
static char *
url_of(struct kube_call *call)
{
    const struct kube_access *access = &call->api->access;
    char *url = access->tls_name ? url_with_tls_name(call) : NULL;

    return url ? url : xasprintf("%s%s", access->server, call->path);
}

static void
prepare(CURL *easy, void *context)
{
    const struct kube_call *call = context;
    const struct kube_access *access = &call->api->access;

    curl.easy_setopt(easy, CURLOPT_PIPEWAIT,
                     1L); /* one connection for all, by HTTP/2 */
    curl.easy_setopt(easy, CURLOPT_PROXY, access->proxy); /* NULL: the environment's */
    if (call->connect_to)
        curl.easy_setopt(easy, CURLOPT_CONNECT_TO, call->connect_to);
    if (access->ca_pem) {
        struct curl_blob blob = {access->ca_pem, strlen(access->ca_pem),
                                 CURL_BLOB_COPY};
        curl.easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
        curl.easy_setopt(easy, CURLOPT_CAPATH, NULL);
    }
    credentials_apply(call->api->credentials, easy);
}

static size_t
on_data(void *context, struct slice bytes)
{
    const struct kube_call *call = context;

    return call->request.on_data(call->request.context, bytes);
}

static void
send_call(struct kube_call *call)
{
    static const char *const headers[] = {"Accept: application/json", NULL};
    AUTO(secret_text) char *token = credentials_header(call->api->credentials);
    AUTO(buffer) struct buffer body = BUFFER_INIT(SIZE_MAX);
    AUTO(mem) char *url = url_of(call);

    if (call->body)
        buffer_append_text(&body, call->body);
    call->http = http_pool_start(
        call->api->pool,
        &(struct http_request){.method = call->method,
                               .url = url,
                               .content_type = call->body ? call->content_type : NULL,
                               .token_header = token,
                               .headers = headers,
                               .body = call->body ? &body : NULL,
                               .connect_timeout_ms = CONNECT_MS,
                               .timeout_ms = call->request.timeout_ms,
                               .max_bytes = LIMIT_KUBE_ANSWER,
                               .on_data = call->request.on_data ? on_data : NULL,
                               .on_done = on_done,
                               .context = call,
                               .prepare = prepare});
}

/* --- credentials --- */

static struct kube_call *
next_waiting(struct kube_api *api)
{
    struct kube_call *call;

    TAILQ_FOREACH (call, &api->calls, link)
        if (call->is_waiting)
            return call;
    return NULL;
}

static void
on_credentials(void *context, const struct error *err)
{
    struct kube_api *api = context;
    struct kube_call *call;

    api->is_asking = false;
    while ((call = next_waiting(api))) {
        call->is_waiting = call->wants_other = false;
        if (err)
            fail(call, err);
        else
            send_call(call);
    }
}

static void
ask_credentials(struct kube_api *api)
{
    struct kube_call *call;
    bool wants_other = false;

    if (api->is_asking)
        return;
    TAILQ_FOREACH (call, &api->calls, link)
        wants_other = wants_other || call->wants_other;
    api->is_asking = true;
    credentials_get(api->credentials, wants_other, on_credentials, api);
}

static void
on_start(void *context)
{
    struct kube_call *call = context;
    struct error err;

    if (http_pool_open(call->api->pool, &err) < 0)
        fail(call, &err);
    else
        begin_try(call);
}

/* Not before the caller knows of the call: its end may come at once. */
struct kube_call *
kube_api_start(struct kube_api *api, const struct kube_request *request)
{
    struct kube_call *call = xcalloc(1, sizeof(*call));
    const char *type = request->content_type;

    call->api = api;
    call->request = *request;
    call->method = xstrdup(request->method);
    call->path = xstrdup(request->path);
    call->content_type = xstrdup(type ? type : "application/json");
    call->body = request->body ? json_dumps(request->body, JSON_COMPACT) : NULL;
    call->began = zclock_mono();
    call->deadline = call->began + request->patience_ms;
    TAILQ_INSERT_TAIL(&api->calls, call, link);
    timer_set(&call->timer, api->loop, 0, on_start, call);
    return call;
}
