#include "sandbox/life/sandbox.h"

#include <assert.h>

#include "common/limits.h"
#include "sandbox/life/sandbox_state.h"
#include "sandbox/resources/process.h"

#define LOG_COMPONENT "sandbox"
#include "common/log.h"

/* The states that each may be entered from. */
static const unsigned entered_from[] = {
#define X(state, name, from) [SANDBOX_##state] = from,
    SANDBOX_STATES(X)
#undef X
};

static void
enter(struct sandbox *s, enum sandbox_state state)
{
    assert(entered_from[state] & 1U << s->state);
    log_info("%s id=%s", sandbox_state_name(state), s->id);
    s->state = state;
}

static void
tell(struct sandbox *s, enum message_id id, const char *parent, const json_t *content)
{
    AUTO(mem) char *text = json_dumps(content, JSON_COMPACT);

    event_log_append(s->log, &(struct event){.type = messages_name(id),
                                             .parent = parent,
                                             .content = slice_of(text)});
}

/* --- who waits for it --- */

static const char *
text_of_failure(const struct sandbox *s, const char *field)
{
    const char *text = json_string_value(json_object_get(s->failure, field));

    return text ? text : "";
}

static int
check_usable(const struct sandbox *s, struct error *err)
{
    const char *remedy = text_of_failure(s, "remedy");

    if (s->state == SANDBOX_FAILED)
        return error_set(err, ERR_CONFLICT, "the sandbox has failed: %.200s%s%.280s",
                         text_of_failure(s, "message"), *remedy ? ". " : "", remedy);
    if (s->state == SANDBOX_ENDING)
        return error_set(err, ERR_NOT_FOUND, "the sandbox has ended");
    return 0;
}

static void
tell_waiters(struct sandbox *s)
{
    struct error err;
    bool is_usable = check_usable(s, &err) == 0;

    waiters_tell(&s->waiters, s, is_usable ? NULL : &err);
}

void
sandbox_await(struct sandbox *s, struct waiter *waiter)
{
    waiters_add(&s->waiters, waiter);
    if (s->state != SANDBOX_STARTING)
        tell_waiters(s);
}

/* --- failure and end --- */

static void
on_burial(void *context)
{
    struct sandbox *s = context;

    log_info("gone id=%s", s->id);
    s->host->on_gone(s->host->context, s);
}

static void
schedule_burial(struct sandbox *s)
{
    loop_timer_set(s->host->loop, &s->burial, 0);
}

static void
on_failed(void *context, const json_t *failure)
{
    struct sandbox *s = context;

    enter(s, SANDBOX_FAILED);
    s->failure = json_deep_copy(failure);
    log_error("id=%s code=%s: %s", s->id,
              json_string_value(json_object_get(failure, "code")),
              json_string_value(json_object_get(failure, "message")));
    tell(s, MESSAGE_SANDBOX_FAILED, "", failure);
    tell_waiters(s);
    supervisor_stop(s->supervisor);
}

void
sandbox_end(struct sandbox *s, const char *cause, const char *message)
{
    json_auto_t *content = json_pack("{s:s, s:s}", "cause", cause, "message", message);

    if (s->state == SANDBOX_ENDING)
        return;
    enter(s, SANDBOX_ENDING);
    log_info("id=%s cause=%s", s->id, cause);
    tally_end(&s->host->tally->sandboxes, cause);
    tell(s, MESSAGE_SANDBOX_ENDED, "", content);
    tell_waiters(s);
    lifetime_stop(&s->lifetime);
    if (supervisor_stop(s->supervisor))
        schedule_burial(s);
}

static void
on_gone(void *context)
{
    struct sandbox *s = context;

    if (s->state == SANDBOX_ENDING)
        schedule_burial(s);
    else if (s->state == SANDBOX_READY)
        sandbox_end(s, "init", "the sandbox has ended: its first process has died");
}

/* --- its processes --- */

static void
announce_ready(struct sandbox *s)
{
    json_auto_t *content = json_pack(
        "{s:O, s:O, s:{s:s, s:O}}", "python", json_object_get(s->hello, "python"),
        "packages", json_object_get(s->hello, "packages"), "isolation", "mode",
        s->host->is_pod ? "pod" : "own", "waived", s->claim.waive);

    enter(s, SANDBOX_READY);
    tell(s, MESSAGE_SANDBOX_READY, "", content);
    tell_waiters(s);
}

static void
on_ready(void *context, const json_t *hello)
{
    struct sandbox *s = context;
    json_auto_t *nothing = json_object();

    json_decref(s->hello);
    s->hello = json_deep_copy(hello);
    if (s->state == SANDBOX_STARTING)
        announce_ready(s);
    else if (s->state == SANDBOX_READY)
        tell(s, MESSAGE_WORKER_STARTED, "", nothing);
}

/* In a pod what is logged until its end belongs to it: there is no other. */
static void
on_request_start(void *context)
{
    struct sandbox *s = context;
    const struct request *running = request_queue_running(s->requests);

    s->trace = running->trace;
    log_set_trace(s->trace.text);
    if (*s->trace.text)
        log_info("request begins id=%s type=%s", s->id, running->type->type);
    if (!s->host->is_pod)
        log_set_trace(NULL);
}

static void
end_trace(struct sandbox *s)
{
    log_set_trace(s->trace.text);
    if (*s->trace.text)
        log_info("request ends id=%s", s->id);
    log_set_trace(NULL);
    s->trace.text[0] = '\0';
}

static const char *
running_id(const struct sandbox *s)
{
    const struct request *running = request_queue_running(s->requests);

    return running ? running->id : "";
}

static void
on_worker_exited(void *context, const json_t *report)
{
    struct sandbox *s = context;

    const char *cause = json_string_value(json_object_get(report, "cause"));
    log_info("worker exited id=%s cause=%s", s->id, cause);
    tally_end(&s->host->tally->workers, cause);
    tell(s, MESSAGE_WORKER_EXITED, running_id(s), report);
    end_trace(s);
    request_queue_end(s->requests);
}

static void
on_request_end(void *context)
{
    end_trace(context);
    sandbox_touch(context);
    sandbox_keep_note_end(context);
}

static void
on_notice(void *context, const char *request, const char *message)
{
    struct sandbox *s = context;
    json_auto_t *content = json_pack("{s:s}", "message", message);

    tell(s, MESSAGE_NOTICE, request ? request : running_id(s), content);
}

void
sandbox_warn(struct sandbox *s, int64_t ms)
{
    AUTO(mem) char *message = xasprintf(
        "This sandbox's pod is being stopped (its node is drained, for example): it "
        "ends in %lld s at the latest, with its variables and files. Cells run until "
        "then: write to files what you need. They come to the notebook's folder when "
        "their cell ends, or by `cellpod cp'.",
        (long long)ms / 1000);

    on_notice(s, NULL, message);
}

static void
on_log_has_room(void *context)
{
    struct sandbox *s = context;
    struct worker *worker = supervisor_worker(s->supervisor);

    if (worker)
        worker_log_has_room(worker);
}

/* --- life --- */

static bool
is_busy(void *context)
{
    struct sandbox *s = context;

    return request_queue_running(s->requests) || request_queue_waiting(s->requests) ||
           request_queue_has_besides(s->requests);
}

static json_int_t
keeps(void *context)
{
    return sandbox_keep_begin(context);
}

static void
on_life_over(void *context, const char *cause, const char *message)
{
    sandbox_end(context, cause, message);
}

void
sandbox_touch(struct sandbox *s)
{
    lifetime_touch(&s->lifetime);
}

void
sandbox_extend(struct sandbox *s, const struct extension *extension)
{
    lifetime_extend(&s->lifetime, extension);
}

int
sandbox_set_owner(struct sandbox *s, int socket, struct error *err)
{
    s->keep.user = process_peer_user(socket);
    return lifetime_set_owner(&s->lifetime, socket, err);
}

static int
supervise(struct sandbox *s, struct error *err)
{
    const struct supervisor_spec spec = {
        .host = s->host,
        .claim = &s->claim,
        .id = s->id,
        .slot = s->slot,
        .log = s->log,
        .requests = s->requests,
        .ops = {on_ready, on_worker_exited, on_request_start, on_request_end, on_notice,
                on_failed, on_gone, s},
    };

    s->supervisor = supervisor_new(&spec, err);
    return s->supervisor ? 0 : -1;
}

struct sandbox *
sandbox_new(const struct sandbox_host *host, struct claim *claim, unsigned slot,
            struct error *err)
{
    AUTO(sandbox) struct sandbox *s = xcalloc(1, sizeof(*s));

    *s = (struct sandbox){.host = host, .slot = slot, .claim = *claim};
    *claim = (struct claim){.tree = NULL};
    token_random_hex(s->id, SANDBOX_ID_BYTES);
    token_make(&s->token);
    s->log = event_log_new(LIMIT_EVENT_LOG_BYTES, on_log_has_room, s);
    s->requests = request_queue_new();
    s->burial = (struct loop_timer){.on_due = on_burial, .context = s};
    s->made_ms = loop_now_ms();
    s->keep.user = (uid_t)-1;
    lifetime_init(&s->lifetime, host->loop,
                  &(struct lifetime_ops){is_busy, keeps, on_life_over, s});
    if (supervise(s, err) < 0)
        return NULL;
    sandbox_extend(s, &(struct extension){s->claim.ttl_seconds, s->claim.idle_seconds});
    return TAKE(s);
}

void
sandbox_free(struct sandbox *s)
{
    if (!s)
        return;
    loop_timer_cancel(s->host->loop, &s->burial);
    lifetime_release(&s->lifetime);
    supervisor_free(s->supervisor);
    event_log_free(s->log);
    request_queue_free(s->requests);
    json_decref(s->hello);
    json_decref(s->failure);
    json_decref(s->keep.told);
    claim_release(&s->claim);
    free(s);
}

/* --- what clients do --- */

int
sandbox_request(struct sandbox *s, struct buffer *envelope,
                const struct trace_id *trace, struct error *err)
{
    request_queue_set_trace(s->requests, trace);
    int known =
        check_usable(s, err) < 0 ? -1 : request_queue_add(s->requests, envelope, err);
    struct worker *worker = supervisor_worker(s->supervisor);

    if (known == 0)
        sandbox_keep_note(s, request_queue_newest(s->requests));
    if (known == 0 && worker)
        worker_pump(worker);
    return known;
}

int
sandbox_input(struct sandbox *s, const char *value, uint64_t question,
              struct error *err)
{
    struct worker *worker = supervisor_worker(s->supervisor);

    if (!worker)
        return error_set(err, ERR_CONFLICT, "no code waits for input");
    return worker_answer(worker, value, question, err);
}

bool
sandbox_interrupt(struct sandbox *s, const char *request, int64_t number)
{
    struct worker *worker = supervisor_worker(s->supervisor);

    if (number && number <= s->interrupt.number)
        return s->interrupt.was_delivered;
    s->interrupt.was_delivered = worker && worker_interrupt(worker, request);
    if (number)
        s->interrupt.number = number;
    return s->interrupt.was_delivered;
}

/* A worker that has not said hello yet is as fresh as one can be. */
int
sandbox_restart(struct sandbox *s, struct error *err)
{
    struct worker *worker = supervisor_worker(s->supervisor);

    if (check_usable(s, err) < 0)
        return -1;
    if (worker && worker_is_ready(worker))
        worker_kill(worker, END_RESTART);
    return 0;
}
