#include "sandbox/api/api.h"

#include <errno.h>

#include "common/limits.h"
#include "common/version.h"
#include "sandbox/api/access.h"
#include "sandbox/api/execution.h"
#include "sandbox/api/file_call.h"
#include "sandbox/api/metrics.h"
#include "sandbox/api/runtime_api.h"

/* The sandbox that the path names; NULL once the client was told that there is none. */
static struct sandbox *
find_sandbox(struct http_request *request)
{
    struct sandbox *sandbox = pool_find(http_context(request), http_segment(request));
    struct error err;

    if (!sandbox) {
        (void)error_set(&err, ERR_NOT_FOUND,
                        "no such sandbox: it has ended, or was never claimed");
        http_reply_error(request, &err);
        return NULL;
    }
    sandbox_touch(sandbox);
    return sandbox;
}

static void
reply_result(struct http_request *request, int result, unsigned status,
             const struct error *err)
{
    if (result < 0)
        http_reply_error(request, err);
    else
        http_reply(request, status, json_object());
}

/* A body that may be empty, else one JSON object; NULL once the client was told. */
static json_t *
parse_body(struct http_request *request)
{
    struct slice body = buffer_slice(http_body(request));
    struct error err;
    json_error_t at;
    json_t *json = body.len ? json_loadb(body.data, body.len, 0, &at) : json_object();

    if (json_is_object(json))
        return json;
    json_decref(json);
    (void)error_set(&err, ERR_BAD_INPUT, "the body is not a JSON object");
    http_reply_error(request, &err);
    return NULL;
}

/* An optional text of the body; false once the client was told that it is none. */
static bool
get_text(struct http_request *request, const json_t *body, const char *name,
         const char **out)
{
    const json_t *value = json_object_get(body, name);
    struct error err;

    *out = json_string_value(value);
    if (!value || json_is_null(value) || *out)
        return true;
    (void)error_set(&err, ERR_BAD_INPUT, "%s must be a string", name);
    http_reply_error(request, &err);
    return false;
}

/* The same of a number from 1 up; 0 when it is absent. */
static bool
get_number(struct http_request *request, const json_t *body, const char *name,
           json_int_t *out)
{
    const json_t *value = json_object_get(body, name);
    struct error err;

    *out = json_integer_value(value);
    if (!value || *out > 0)
        return true;
    (void)error_set(&err, ERR_BAD_INPUT, "%s must be a number of at least 1", name);
    http_reply_error(request, &err);
    return false;
}

/* --- the handlers --- */

static void
get_health(struct http_request *request)
{
    const struct pool *pool = http_context(request);
    const bool is_warm = pool_is_warm(pool);

    http_reply(request, is_warm ? 200 : 503,
               json_pack("{s:s, s:s, s:s, s:I}", "status", is_warm ? "ok" : "warming",
                         "version", cellpod_version, "build", cellpod_build,
                         "sandboxes", (json_int_t)pool_count(pool)));
}

static void
get_metrics(struct http_request *request)
{
    struct buffer text = BUFFER_INIT(SIZE_MAX);

    metrics_write(http_context(request), http_count(request), &text);
    http_reply_text(request, 200, "text/plain; version=0.0.4; charset=utf-8", &text);
}

static void
claim_sandbox(struct http_request *request)
{
    struct error err;
    bool created;
    const struct claimant claimant = {http_socket(request), http_is_remote(request)};
    struct sandbox *sandbox =
        pool_claim(http_context(request), buffer_slice(http_body(request)), &claimant,
                   &created, &err);

    if (sandbox)
        http_reply(request, created ? 201 : 200, sandbox_describe_claim(sandbox));
    else
        http_reply_error(request, &err);
}

/* Over TCP: the one whose token it is. */
static void
list_sandboxes(struct http_request *request)
{
    struct pool *pool = http_context(request);
    struct sandbox *own =
        pool_find_token(pool, http_header(request, ACCESS_TOKEN_HEADER));
    json_t *list = !http_is_remote(request) ? pool_describe(pool) : json_array();

    if (http_is_remote(request) && own)
        json_array_append_new(list, sandbox_describe(own));
    http_reply(request, 200, json_pack("{s:o}", "sandboxes", list));
}

static void
get_sandbox(struct http_request *request)
{
    struct sandbox *sandbox = find_sandbox(request);

    if (sandbox)
        http_reply(request, 200, sandbox_describe(sandbox));
}

static void
patch_sandbox(struct http_request *request)
{
    struct sandbox *sandbox = find_sandbox(request);
    struct extension extension;
    struct error err;

    if (!sandbox)
        return;
    if (claim_parse_extension(buffer_slice(http_body(request)), &extension, &err) < 0) {
        http_reply_error(request, &err);
        return;
    }
    sandbox_extend(sandbox, &extension);
    http_reply(request, 200, sandbox_describe(sandbox));
}

static void
on_sandbox_gone(void *context)
{
    http_reply(context, 200, json_object());
}

static void
delete_sandbox(struct http_request *request)
{
    struct sandbox *sandbox = find_sandbox(request);

    if (sandbox)
        pool_end(http_context(request), sandbox, on_sandbox_gone, request);
}

static void
post_request(struct http_request *request)
{
    struct sandbox *sandbox = find_sandbox(request);
    struct trace_id trace;
    struct error err;

    if (!sandbox)
        return;
    trace_read(http_header(request, TRACE_HEADER), &trace);
    int known = sandbox_request(sandbox, http_body(request), &trace, &err);
    reply_result(request, known, known ? 200 : 202, &err);
}

static void
get_events(struct http_request *request)
{
    struct sandbox *sandbox = find_sandbox(request);
    const char *after = http_query(request, "after");
    char *end;
    struct error err;

    if (!sandbox)
        return;
    after = after ? after : "0";
    errno = 0;
    uint64_t seq = strtoull(after, &end, 10);
    if (errno || *end || *after < '0' || *after > '9') {
        (void)error_set(&err, ERR_BAD_INPUT, "after must be the number of an event");
        http_reply_error(request, &err);
        return;
    }
    http_stream(request, sandbox_log(sandbox), seq);
}

static void
post_input(struct http_request *request)
{
    struct sandbox *sandbox = find_sandbox(request);
    json_auto_t *body = sandbox ? parse_body(request) : NULL;
    const char *value;
    json_int_t question;
    struct error err;

    if (!body || !get_text(request, body, "value", &value) ||
        !get_number(request, body, "question", &question))
        return;
    int result = sandbox_input(sandbox, value ? value : "", (uint64_t)question, &err);
    reply_result(request, result, 202, &err);
}

static void
post_interrupt(struct http_request *request)
{
    struct sandbox *sandbox = find_sandbox(request);
    json_auto_t *body = sandbox ? parse_body(request) : NULL;
    const char *which;
    json_int_t number;

    if (!body || !get_text(request, body, "request", &which) ||
        !get_number(request, body, "number", &number))
        return;
    bool delivered = sandbox_interrupt(sandbox, which, number);
    http_reply(request, 200, json_pack("{s:b}", "delivered", delivered));
}

static void
post_restart(struct http_request *request)
{
    struct sandbox *sandbox = find_sandbox(request);
    struct error err;

    if (sandbox)
        reply_result(request, sandbox_restart(sandbox, &err), 202, &err);
}

static void
get_usage(struct http_request *request)
{
    struct sandbox *sandbox = find_sandbox(request);

    if (sandbox)
        http_reply(request, 200, sandbox_usage(sandbox));
}

/* --- agents --- */

struct execute_call {
    struct http_request *request;
    struct execution *execution;
};

static void
drop_execute_call(void *context)
{
    struct execute_call *call = context;

    execution_free(call->execution);
    free(call);
}

static void
on_executed(void *context, const json_t *result)
{
    struct execute_call *call = context;

    http_reply(call->request, 200, json_incref((json_t *)result));
}

static void
post_execute(struct http_request *request)
{
    struct sandbox *sandbox = find_sandbox(request);
    struct execution_spec spec = {.content = NULL};
    struct error err;

    if (!sandbox)
        return;
    struct execute_call *call = xcalloc(1, sizeof(*call));
    call->request = request;
    http_on_drop(request, drop_execute_call, call);
    if (execution_parse(buffer_slice(http_body(request)), &spec, &err) == 0) {
        trace_read(http_header(request, TRACE_HEADER), &spec.trace);
        call->execution = execution_start(sandbox, &spec, on_executed, call, &err);
    }
    json_decref(spec.content);
    if (!call->execution)
        http_reply_error(request, &err);
}

/* --- files --- */

static void
on_file(struct http_request *request,
        void (*call)(struct http_request *, struct sandbox *, struct slice,
                     const struct file_style *))
{
    struct sandbox *sandbox = find_sandbox(request);

    if (sandbox)
        call(request, sandbox, http_rest(request), &file_style_ours);
}

static void
get_file(struct http_request *request)
{
    on_file(request, file_call_read);
}

static void
put_file(struct http_request *request)
{
    on_file(request, file_call_write);
}

static void
delete_file(struct http_request *request)
{
    on_file(request, file_call_remove);
}

static void
get_tree(struct http_request *request)
{
    struct sandbox *sandbox = find_sandbox(request);

    if (sandbox)
        file_call_tree(request, sandbox);
}

/* --- the surface: all of it; runtime_api decides for itself who may call --- */

enum {
    ENVELOPE = LIMIT_ENVELOPE_BYTES + LIMIT_ENVELOPE_LINE + 1,
    JSON = LIMIT_HTTP_BODY,
};

static const struct route routes[] = {
    {"GET",    "/metrics",                  0,        get_metrics,                ROUTE_OPEN                 },
    {"GET",    "/v1/health",                0,        get_health,                 ROUTE_OPEN                 },
    {"GET",    "/v1/metadata",              0,        runtime_api_get_metadata,   ROUTE_OPEN                 },
    {"GET",    "/",                         0,        runtime_api_get_root,       ROUTE_OPEN                 },
    {"POST",   "/execute",                  JSON,     runtime_api_execute,        ROUTE_OPEN                 },
    {"POST",   "/execute-python",           JSON,     runtime_api_execute_python, ROUTE_OPEN                 },
    {"POST",   "/upload",                   0,        runtime_api_upload,         ROUTE_OPEN | ROUTE_STREAMED},
    {"GET",    "/download/**",              0,        runtime_api_download,       ROUTE_OPEN                 },
    {"GET",    "/list/**",                  0,        runtime_api_list,           ROUTE_OPEN                 },
    {"GET",    "/exists/**",                0,        runtime_api_exists,         ROUTE_OPEN                 },
    {"GET",    "/v1/files/**",              0,        runtime_api_get_file,       ROUTE_OPEN                 },
    {"HEAD",   "/v1/files/**",              0,        runtime_api_get_file,       ROUTE_OPEN                 },
    {"PUT",    "/v1/files/**",              0,        runtime_api_put_file,       ROUTE_OPEN | ROUTE_STREAMED},
    {"DELETE", "/v1/files/**",              JSON,     runtime_api_delete_file,    ROUTE_OPEN                 },
    {"POST",   "/v1/sandboxes",             JSON,     claim_sandbox,              ROUTE_OPEN | ROUTE_CLAIM   },
    {"GET",    "/v1/sandboxes",             0,        list_sandboxes,             0                          },
    {"GET",    "/v1/sandboxes/*",           0,        get_sandbox,                0                          },
    {"PATCH",  "/v1/sandboxes/*",           JSON,     patch_sandbox,              0                          },
    {"DELETE", "/v1/sandboxes/*",           JSON,     delete_sandbox,             0                          },
    {"POST",   "/v1/sandboxes/*/requests",  ENVELOPE, post_request,               0                          },
    {"GET",    "/v1/sandboxes/*/events",    0,        get_events,                 0                          },
    {"POST",   "/v1/sandboxes/*/input",     JSON,     post_input,                 0                          },
    {"POST",   "/v1/sandboxes/*/interrupt", JSON,     post_interrupt,             0                          },
    {"POST",   "/v1/sandboxes/*/restart",   JSON,     post_restart,               0                          },
    {"GET",    "/v1/sandboxes/*/usage",     0,        get_usage,                  0                          },
    {"POST",   "/v1/sandboxes/*/execute",   JSON,     post_execute,               0                          },
    {"GET",    "/v1/sandboxes/*/tree",      0,        get_tree,                   0                          },
    {"GET",    "/v1/sandboxes/*/files/**",  0,        get_file,                   0                          },
    {"HEAD",   "/v1/sandboxes/*/files/**",  0,        get_file,                   0                          },
    {"PUT",    "/v1/sandboxes/*/files/**",  0,        put_file,                   ROUTE_STREAMED             },
    {"DELETE", "/v1/sandboxes/*/files/**",  JSON,     delete_file,                0                          },
};

const struct route *
api_routes(size_t *count)
{
    *count = COUNT_OF(routes);
    return routes;
}
