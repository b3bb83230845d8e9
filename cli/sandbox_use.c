#include "cli/sandbox_use.h"

#include "common/json_text.h"
#include "kernel/place/claim.h"

static int
post(struct sandbox_use *use, const char *below, struct slice body, bool is_envelope,
     struct error *err)
{
    AUTO(mem) char *path = xasprintf("/v1/sandboxes/%s/%s", use->id, below);
    json_auto_t *answer = NULL;

    return daemon_call(use->daemon,
                       &(struct daemon_request){"POST", path, body, is_envelope},
                       &answer, err);
}

/* One program, and then it ends: nobody would go on from a checkpoint. */
static void
want_no_checkpoints(json_t *claim)
{
    json_t *resources = json_object_get(claim, "resources");

    if (!resources) {
        resources = json_object();
        json_object_set_new(claim, "resources", resources);
    }
    json_object_set_new(resources, "checkpoints", json_integer(0));
}

int
sandbox_use_claim(struct sandbox_use *use, const json_t *flags, struct error *err)
{
    json_auto_t *claim = claim_make(true, flags, &use->notice, err);
    json_auto_t *answer = NULL;

    if (!claim || daemon_open(&use->daemon, true, err) < 0)
        return -1;
    AUTO(mem) char *task = xasprintf("cellpod-%d", (int)getpid());
    json_object_set_new(claim, "task_id", json_string(task));
    want_no_checkpoints(claim);
    AUTO(mem) char *body = json_dumps(claim, JSON_COMPACT);
    if (daemon_call(
            use->daemon,
            &(struct daemon_request){"POST", "/v1/sandboxes", slice_of(body), 0},
            &answer, err) < 0)
        return -1;
    const char *id = json_string_value(json_object_get(answer, "id"));
    if (!id)
        return error_set(err, ERR_UNAVAILABLE,
                         "cellpod-sandboxd did not provide a sandbox");
    use->id = xstrdup(id);
    return 0;
}

void
sandbox_use_end(struct sandbox_use *use)
{
    AUTO(mem) char *path = xasprintf("/v1/sandboxes/%s", use->id ? use->id : "");
    json_auto_t *answer = NULL;
    struct error ignored;

    if (use->id &&
        daemon_call(use->daemon,
                    &(struct daemon_request){.method = "DELETE", .path = path}, &answer,
                    &ignored) < 0)
        answer = NULL; /* it ends with this process too */
    daemon_close(use->daemon);
    free(use->id);
    free(use->notice);
    *use = (struct sandbox_use)SANDBOX_USE_INIT;
}

int
sandbox_use_execute(struct sandbox_use *use, const char *id, const char *code,
                    struct error *err)
{
    AUTO(buffer) struct buffer body = BUFFER_INIT(SIZE_MAX);
    json_auto_t *line = json_pack("{s:s, s:s}", "type", "execute_request", "id", id);
    json_auto_t *content = json_pack(
        "{s:s, s:b, s:b, s:{}, s:b, s:b}", "code", code, "silent", 0, "store_history",
        0, "user_expressions", "allow_stdin", 1, "stop_on_error", 1);

    if (!content)
        return error_set(err, ERR_BAD_INPUT, "the code is not UTF-8");
    AUTO(mem) char *text = json_dumps(content, JSON_COMPACT);
    if (envelope_append(&body, line, slice_of(text), SLICE(""), NULL, 0, err) < 0)
        return -1;
    return post(use, "requests", buffer_slice(&body), true, err);
}

int
sandbox_use_interrupt(struct sandbox_use *use, struct error *err)
{
    return post(use, "interrupt", SLICE("{}"), false, err);
}

int
sandbox_use_answer(struct sandbox_use *use, const char *line, struct error *err)
{
    AUTO(buffer) struct buffer body = BUFFER_INIT(SIZE_MAX);

    json_text_append(&body,
                     json_pack("{s:o}", "value", json_text_string(slice_of(line))));
    return post(use, "input", buffer_slice(&body), false, err);
}

int
sandbox_use_watch(struct sandbox_use *use, const struct daemon_watcher *watcher,
                  struct error *err)
{
    AUTO(mem) char *path = xasprintf("/v1/sandboxes/%s/events?after=0", use->id);

    return daemon_watch(use->daemon, path, watcher, err);
}
