#include "sandbox/api/runtime_api.h"

#include <ctype.h>
#include <unistd.h>

#include "common/limits.h"
#include "common/version.h"
#include "sandbox/api/access.h"
#include "sandbox/api/execution.h"
#include "sandbox/api/file_call.h"
#include "sandbox/life/pool.h"

enum {
    EXECUTE_SECONDS =
        300, /* as upstream, where SANDBOX_EXEC_TIMEOUT_SECONDS is not set */
};

/* --- errors, as clients of either generation look for them --- */

/* {"message":"Access denied"} */
static void
fail_plainly(struct http_request *request, const struct error *err)
{
    const char *message = err->kind == ERR_DENIED ? "Access denied" : err->text;
    json_t *text = json_string(message);

    http_reply(request, error_http_status(err->kind),
               json_pack("{s:o}", "message", text ? text : json_string("refused")));
}

static void
fail_file_not_found(struct http_request *request, const struct error *err)
{
    if (err->kind == ERR_NOT_FOUND || err->kind == ERR_CONFLICT)
        http_reply(request, 404, json_pack("{s:s}", "message", "File not found"));
    else
        fail_plainly(request, err);
}

static void
fail_not_a_folder(struct http_request *request, const struct error *err)
{
    if (err->kind == ERR_NOT_FOUND)
        http_reply(request, 404,
                   json_pack("{s:s}", "message", "Path is not a directory"));
    else
        fail_plainly(request, err);
}

/* {"code":"PERMISSION_DENIED","message":"…"} */
static void
fail_with_code(struct http_request *request, const struct error *err)
{
    static const struct {
        enum error_kind kind;
        const char *code;
    } codes[] = {
        {ERR_DENIED,      "PERMISSION_DENIED" },
        {ERR_NOT_FOUND,   "NOT_FOUND"         },
        {ERR_BAD_INPUT,   "INVALID_ARGUMENT"  },
        {ERR_CONFLICT,    "CONFLICT"          },
        {ERR_TOO_LARGE,   "RESOURCE_EXHAUSTED"},
        {ERR_BUSY,        "UNAVAILABLE"       },
        {ERR_UNAVAILABLE, "UNAVAILABLE"       },
    };
    const char *code = "INTERNAL";
    json_t *text = json_string(err->text);

    for (size_t i = 0; i < COUNT_OF(codes); i++)
        if (codes[i].kind == err->kind)
            code = codes[i].code;
    http_reply(request, error_http_status(err->kind),
               json_pack("{s:s, s:o}", "code", code, "message",
                         text ? text : json_string("refused")));
}

/* --- the default sandbox --- */

/* NULL once the client was told why. */
static struct sandbox *
default_sandbox(struct http_request *request,
                void (*fail)(struct http_request *, const struct error *))
{
    struct pool *pool = http_context(request);
    const char *token = http_header(request, ACCESS_TOKEN_HEADER);
    struct sandbox *sandbox = token ? pool_find_token(pool, token) : NULL;
    struct error err;

    if (!sandbox && http_is_remote(request) && !pool_is_open(pool))
        (void)error_set(&err, ERR_DENIED, "no default sandbox is open");
    else if (!sandbox)
        sandbox = pool_default(pool, &err);
    if (sandbox)
        sandbox_touch(sandbox);
    else
        fail(request, &err);
    return sandbox;
}

/* --- executing --- */

struct runtime_call {
    struct http_request *request;
    struct execution *execution;
    bool is_python, is_limited; /* by the client's own timeout_seconds */
};

static void
drop(void *context)
{
    struct runtime_call *call = context;

    execution_free(call->execution);
    free(call);
}

static bool
is_over_time(const json_t *error)
{
    const char *name = json_string_value(json_object_get(error, "ename"));

    return name && strcmp(name, "TimeoutError") == 0;
}

static json_t *
failure(const struct runtime_call *call, const json_t *error)
{
    const char *value = json_string_value(json_object_get(error, "evalue"));

    if (call->is_python && is_over_time(error))
        return json_pack("{s:s, s:s, s:i}", "stdout", "", "stderr", "Command timed out",
                         "exit_code", 124);
    AUTO(mem) char *text = xasprintf(
        "%s%s",
        call->is_python ? "" : "Failed to execute command: ", value ? value : "");
    return json_pack("{s:s, s:s, s:i}", "stdout", "", "stderr", text, "exit_code", 1);
}

/* With what it has printed until then. */
static json_t *
timed_out(const json_t *result)
{
    return json_pack("{s:O, s:O, s:O, s:b}", "stdout",
                     json_object_get(result, "stdout"), "stderr",
                     json_object_get(result, "stderr"), "exit_code",
                     json_object_get(result, "exit_code"), "timed_out", 1);
}

static void
on_done(void *context, const json_t *result)
{
    struct runtime_call *call = context;
    const json_t *error = json_object_get(result, "error");

    http_reply(call->request, 200,
               call->is_limited && is_over_time(error) ? timed_out(result)
               : json_is_object(error)
                   ? failure(call, error)
                   : json_pack("{s:O, s:O, s:O}", "stdout",
                               json_object_get(result, "stdout"), "stderr",
                               json_object_get(result, "stderr"), "exit_code",
                               json_object_get(result, "exit_code")));
}

/* As FastAPI says it. */
static void
refuse_field(struct http_request *request, const char *name)
{
    http_reply(request, 422,
               json_pack("{s:[{s:s, s:[s, s], s:s}]}", "detail", "type", "missing",
                         "loc", "body", name, "msg", "Field required"));
}

static double
seconds_given(void)
{
    const char *text = getenv("SANDBOX_EXEC_TIMEOUT_SECONDS");
    double seconds = text ? strtod(text, NULL) : 0;

    return seconds > 0 && seconds <= EXECUTION_MAX_SECONDS ? seconds : EXECUTE_SECONDS;
}

static void
refuse_seconds(struct http_request *request)
{
    http_reply(request, 422,
               json_pack("{s:[{s:s, s:[s, s], s:s}]}", "detail", "type", "value_error",
                         "loc", "body", "timeout_seconds", "msg",
                         "Input should be a number of seconds greater than 0"));
}

/* The client's own limit, within ours; false: it is none. */
static bool
read_seconds(const json_t *body, struct execution_spec *spec, bool *is_limited)
{
    const json_t *given = json_object_get(body, "timeout_seconds");
    const double seconds = json_number_value(given);

    *is_limited = given && !json_is_null(given);
    if (*is_limited && (!json_is_number(given) || !(seconds > 0)))
        return false;
    if (*is_limited && seconds < spec->seconds)
        spec->seconds = seconds;
    return true;
}

static void
run(struct http_request *request, const char *field, const char *as)
{
    struct slice body = buffer_slice(http_body(request));
    json_auto_t *tree = json_loadb(body.data, body.len, 0, NULL);
    json_t *code = json_object_get(tree, field);
    struct execution_spec spec = {.type = "command_request",
                                  .seconds = seconds_given()};
    struct error err;
    bool is_limited;

    if (!json_is_string(code)) {
        refuse_field(request, field);
        return;
    }
    if (!read_seconds(tree, &spec, &is_limited)) {
        refuse_seconds(request);
        return;
    }
    struct sandbox *sandbox = default_sandbox(request, fail_plainly);
    if (!sandbox)
        return;
    struct runtime_call *call = xcalloc(1, sizeof(*call));
    *call = (struct runtime_call){.request = request,
                                  .is_python = strcmp(as, "python") == 0,
                                  .is_limited = is_limited};
    http_on_drop(request, drop, call);
    spec.content = json_pack("{s:O, s:f}", as, code, "timeout", spec.seconds);
    call->execution = execution_start(sandbox, &spec, on_done, call, &err);
    json_decref(spec.content);
    if (!call->execution)
        fail_plainly(request, &err);
}

void
runtime_api_execute(struct http_request *request)
{
    run(request, "command", "command");
}

void
runtime_api_execute_python(struct http_request *request)
{
    run(request, "code", "python");
}

/* --- files, first generation --- */

static void
list_plainly(struct http_request *request, const char *path UNUSED, json_t *entries)
{
    size_t index;
    json_t *entry;

    json_array_foreach (entries, index, entry) {
        json_object_set(entry, "mod_time", json_object_get(entry, "mtime"));
        json_object_del(entry, "mtime");
        json_object_del(entry, "mode");
    }
    http_reply(request, 200, entries);
}

static void
tell_upload(struct http_request *request, const char *name)
{
    AUTO(mem) char *text = xasprintf("File '%s' uploaded successfully.", name);
    json_t *message = json_string(text);

    http_reply(
        request, 200,
        json_pack("{s:o}", "message",
                  message ? message : json_string("File uploaded successfully.")));
}

static const struct file_style uploads = {fail_plainly, NULL, tell_upload, false};
static const struct file_style downloads = {fail_file_not_found, NULL, NULL, false};
static const struct file_style listings = {fail_not_a_folder, list_plainly, NULL,
                                           false};
static const struct file_style questions = {fail_plainly, NULL, NULL, false};
static const struct file_style files = {fail_with_code, file_call_style_listing, NULL,
                                        false};

void
runtime_api_upload(struct http_request *request)
{
    struct sandbox *sandbox = default_sandbox(request, fail_plainly);

    if (sandbox)
        file_call_form(request, sandbox, NULL, &uploads);
}

static void
on_file(struct http_request *request, const struct file_style *style,
        void (*call)(struct http_request *, struct sandbox *, struct slice,
                     const struct file_style *))
{
    struct sandbox *sandbox = default_sandbox(request, style->fail);

    if (sandbox)
        call(request, sandbox, http_rest(request), style);
}

void
runtime_api_download(struct http_request *request)
{
    on_file(request, &downloads, file_call_read);
}

void
runtime_api_list(struct http_request *request)
{
    on_file(request, &listings, file_call_list);
}

void
runtime_api_exists(struct http_request *request)
{
    on_file(request, &questions, file_call_exists);
}

/* --- files, second generation: /v1/files --- */

void
runtime_api_get_file(struct http_request *request)
{
    on_file(request, &files, file_call_read);
}

void
runtime_api_put_file(struct http_request *request)
{
    const char *type = http_header(request, "Content-Type");
    struct slice path = http_rest(request);
    struct sandbox *sandbox = default_sandbox(request, fail_with_code);

    if (!sandbox)
        return;
    if (type && strncasecmp(type, "multipart/form-data", 19) == 0)
        file_call_form(request, sandbox, &path, &files);
    else
        file_call_write(request, sandbox, path, &files);
}

void
runtime_api_delete_file(struct http_request *request)
{
    on_file(request, &files, file_call_remove);
}

/* --- what this is --- */

void
runtime_api_get_root(struct http_request *request)
{
    http_reply(request, 200,
               json_pack("{s:s, s:s}", "status", "ok", "message",
                         "Sandbox Runtime is active."));
}

static bool
sounds_secret(const char *name)
{
    static const char *const words[] = {"TOKEN", "SECRET", "PASS",    "CRED", "KEY",
                                        "AUTH",  "BEARER", "PRIVATE", "CERT"};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcasestr(name, words[i]))
            return true;
    return false;
}

/* What the pod's template says of itself, in variables SANDBOX_*. Code in the sandbox
 * can ask for it, too. */
void
runtime_api_get_metadata(struct http_request *request)
{
    json_t *env = json_object();

    for (char **entry = environ; *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        AUTO(mem) char *name = xstrndup(*entry, equals ? (size_t)(equals - *entry) : 0);
        if (strncmp(name, "SANDBOX_", 8) == 0 && !sounds_secret(name))
            json_object_set_new(env, name, json_string(equals + 1));
    }
    http_reply(request, 200,
               json_pack("{s:s, s:s, s:s, s:I, s:o}", "status", "ok", "version",
                         cellpod_version, "build", cellpod_build, "sandboxes",
                         (json_int_t)pool_count(http_context(request)), "env", env));
}
