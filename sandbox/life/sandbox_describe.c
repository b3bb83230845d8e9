#include "sandbox/life/sandbox.h"
#include "sandbox/life/sandbox_state.h"

json_t *
sandbox_usage(struct sandbox *s)
{
    return usage_measure(&s->meter, supervisor_init(s->supervisor),
                         supervisor_worker_pid(s->supervisor));
}

/* Whose it is, and what it is busy with: for people who look. */
static void
describe_use(struct sandbox *s, json_t *about)
{
    const struct request *running = request_queue_running(s->requests);
    pid_t owner = lifetime_owner(&s->lifetime);
    pid_t pid = supervisor_worker_pid(s->supervisor);

    if (pid > 0)
        json_object_set_new(about, "worker", json_pack("{s:i}", "pid", (int)pid));
    if (lifetime_is_kept(&s->lifetime))
        json_object_set_new(
            about, "kept",
            json_pack("{s:I, s:O}", "left_ms",
                      (json_int_t)(s->lifetime.kept_until_ms - loop_now_ms()),
                      "notebook", json_object_get(s->claim.keep, "notebook")));
    if (owner > 0)
        json_object_set_new(about, "owner", json_pack("{s:i}", "pid", (int)owner));
    if (running)
        json_object_set_new(
            about, "running",
            json_pack("{s:s, s:s}", "id", running->id, "type", running->type->type));
    if (s->claim.workspace_path)
        json_object_set_new(about, "workspace", json_string(s->claim.workspace_path));
}

json_t *
sandbox_describe(struct sandbox *s)
{
    json_t *about = json_pack("{s:s, s:s, s:s, s:I, s:I, s:o}", "id", s->id, "task_id",
                              s->claim.task_id, "state", sandbox_state_name(s->state),
                              "age_ms", (json_int_t)(loop_now_ms() - s->made_ms),
                              "waiting", (json_int_t)request_queue_waiting(s->requests),
                              "usage", sandbox_usage(s));

    const char *expires_at = s->lifetime.expires_at;

    if (*expires_at)
        json_object_set_new(about, "expires_at", json_string(expires_at));
    json_object_set_new(about, "resources", supervisor_limits(s->supervisor));
    if (s->failure)
        json_object_set(about, "error", s->failure);
    if (s->hello)
        json_object_update(about, s->hello);
    describe_use(s, about);
    return about;
}

json_t *
sandbox_describe_claim(struct sandbox *s)
{
    const char *expires_at = s->lifetime.expires_at;

    return json_pack("{s:s, s:s, s:s, s:s?, s:O*}", "id", s->id, "token", s->token.text,
                     "state", sandbox_state_name(s->state), "expires_at",
                     *expires_at ? expires_at : NULL, "kept", s->keep.told);
}

/* --- one thing of it --- */

const char *
sandbox_id(const struct sandbox *s)
{
    return s->id;
}

const char *
sandbox_task_id(const struct sandbox *s)
{
    return s->claim.task_id;
}

const struct token *
sandbox_token(const struct sandbox *s)
{
    return &s->token;
}

struct loop *
sandbox_loop(const struct sandbox *s)
{
    return s->host->loop;
}

bool
sandbox_is_running(const struct sandbox *s, const char *request)
{
    return request_queue_is_running(s->requests, request);
}

const struct workspace *
sandbox_workspace(const struct sandbox *s)
{
    return supervisor_workspace(s->supervisor);
}

unsigned
sandbox_slot(const struct sandbox *s)
{
    return s->slot;
}

bool
sandbox_is_ending(const struct sandbox *s)
{
    return s->state == SANDBOX_ENDING;
}

struct event_log *
sandbox_log(struct sandbox *s)
{
    return s->log;
}
