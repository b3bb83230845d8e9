#include "sandbox/sandbox.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>

#include "common/limits.h"
#include "sandbox/init.h"
#include "sandbox/network.h"
#include "sandbox/packet.h"
#include "sandbox/process.h"
#include "sandbox/resources.h"
#include "sandbox/spec.h"
#include "sandbox/usage.h"
#include "sandbox/worker.h"

#define LOG_COMPONENT "sandbox"
#include "common/log.h"

enum {
    /* What a worker takes as MemoryError and TimeoutError; real-time signals, which
     * nothing else sends. cellpod/interrupts.py has the same numbers. */
    SIGNAL_MEMORY = 37,
    SIGNAL_TIME = 38,
    START_MS = 60000, /* from a spawned init, or a started worker, to hello */
    MAX_FAILURES = 3, /* starts in a row that came to nothing */
    ID_BYTES = 8,
};

/* state, its name in the API, and the states it may be entered from */
#define IN(state) (1U << SANDBOX_##state)
#define SANDBOX_STATES(X)                         \
    X(STARTING, "starting", 0)                    \
    X(READY, "ready", IN(STARTING))               \
    X(FAILED, "failed", IN(STARTING) | IN(READY)) \
    X(ENDING, "ending", IN(STARTING) | IN(READY) | IN(FAILED))

enum sandbox_state {
#define X(state, name, from) SANDBOX_##state,
    SANDBOX_STATES(X)
#undef X
};

static const struct {
    const char *name;
    unsigned from;
} states[] = {
#define X(state, name, from) [SANDBOX_##state] = {name, from},
    SANDBOX_STATES(X)
#undef X
};

struct sandbox {
    const struct sandbox_host *host;
    enum sandbox_state state;
    char id[2 * ID_BYTES + 1], expires_at[32];
    struct token token;
    struct claim claim;
    unsigned slot;
    struct event_log *log;
    struct request_queue *requests;
    struct zygote_job job;
    struct network network;
    struct init *init;
    struct worker *worker;
    struct workspace workspace;
    int64_t files_owner;
    struct sandbox_waiter *waiters;
    struct resources *resources;
    unsigned failures;
    json_t *hello;   /* of the newest worker, or NULL */
    json_t *failure; /* when FAILED */
    int owner;
    struct loop_watch owner_watch;
    struct loop_timer start_deadline, ttl, idle, burial;
    int64_t touched_ms, made_ms;
    struct {
        int64_t number; /* as its client counts; 0: it does not */
        bool was_delivered;
    } interrupt; /* the last one */
    struct usage_meter meter;
};

static void
enter(struct sandbox *s, enum sandbox_state state)
{
    assert(states[state].from & 1U << s->state);
    log_info("%s id=%s", states[state].name, s->id);
    s->state = state;
}

static void
tell(struct sandbox *s, const char *type, const char *parent, const json_t *content)
{
    AUTO(mem) char *text = json_dumps(content, JSON_COMPACT);

    event_log_append(
        s->log,
        &(struct event){.type = type, .parent = parent, .content = slice_of(text)});
}

/* --- who waits for it --- */

static int
check_usable(const struct sandbox *s, struct error *err)
{
    if (s->state == SANDBOX_FAILED)
        return error_set(err, ERR_CONFLICT, "the sandbox has failed: %.300s",
                         json_string_value(json_object_get(s->failure, "message")));
    if (s->state == SANDBOX_ENDING)
        return error_set(err, ERR_NOT_FOUND, "the sandbox has ended");
    return 0;
}

static void
tell_waiters(struct sandbox *s)
{
    struct error err;
    bool is_usable = check_usable(s, &err) == 0;

    while (s->waiters) {
        struct sandbox_waiter *waiter = s->waiters;
        sandbox_await_cancel(waiter);
        waiter->on_ready(waiter->context, s, is_usable ? NULL : &err);
    }
}

void
sandbox_await(struct sandbox *s, struct sandbox_waiter *waiter)
{
    waiter->sandbox = s;
    waiter->next = s->waiters;
    s->waiters = waiter;
    if (s->state != SANDBOX_STARTING)
        tell_waiters(s);
}

void
sandbox_await_cancel(struct sandbox_waiter *waiter)
{
    if (!waiter->sandbox)
        return;
    for (struct sandbox_waiter **at = &waiter->sandbox->waiters; *at; at = &(*at)->next)
        if (*at == waiter) {
            *at = waiter->next;
            break;
        }
    waiter->sandbox = NULL;
}

/* --- failure and end --- */

static void
schedule_burial(struct sandbox *s)
{
    loop_timer_set(s->host->loop, &s->burial, 0);
}

static void
on_burial(void *context)
{
    struct sandbox *s = context;

    log_info("gone id=%s", s->id);
    s->host->on_gone(s->host->context, s);
}

static void
fail(struct sandbox *s, const json_t *failure)
{
    if (s->state == SANDBOX_FAILED || s->state == SANDBOX_ENDING)
        return;
    loop_timer_cancel(s->host->loop, &s->start_deadline);
    enter(s, SANDBOX_FAILED);
    s->failure = json_deep_copy(failure);
    log_error("id=%s code=%s: %s", s->id,
              json_string_value(json_object_get(failure, "code")),
              json_string_value(json_object_get(failure, "message")));
    tell(s, "sandbox_failed", "", failure);
    tell_waiters(s);
    if (s->init)
        init_kill(s->init);
}

static void
fail_with(struct sandbox *s, const char *code, const char *message)
{
    json_auto_t *failure = failure_make(code, "", message, "");

    fail(s, failure);
}

void
sandbox_end(struct sandbox *s)
{
    if (s->state == SANDBOX_ENDING)
        return;
    enter(s, SANDBOX_ENDING);
    tell_waiters(s);
    loop_timer_cancel(s->host->loop, &s->start_deadline);
    loop_timer_cancel(s->host->loop, &s->ttl);
    loop_timer_cancel(s->host->loop, &s->idle);
    loop_watch_stop(s->host->loop, &s->owner_watch);
    if (s->init && !zygote_job_withdraw(&s->job))
        init_kill(s->init); /* on_init_gone buries */
    else
        schedule_burial(s);
}

static void
on_start_deadline(void *context)
{
    fail_with(context, "start-timeout",
              "The sandbox did not become ready within 60 seconds.");
}

/* --- workers --- */

static void spawn(struct sandbox *s);
static void start_worker(struct sandbox *s);

static void
announce_ready(struct sandbox *s)
{
    json_auto_t *content = json_pack(
        "{s:O, s:O, s:{s:s, s:O}}", "python", json_object_get(s->hello, "python"),
        "packages", json_object_get(s->hello, "packages"), "isolation", "mode",
        s->host->is_pod ? "pod" : "own", "waived", s->claim.waive);

    enter(s, SANDBOX_READY);
    tell(s, "sandbox_ready", "", content);
    tell_waiters(s);
}

static void
on_worker_ready(void *context, const json_t *hello)
{
    struct sandbox *s = context;
    json_auto_t *nothing = json_object();

    loop_timer_cancel(s->host->loop, &s->start_deadline);
    s->failures = 0;
    json_decref(s->hello);
    s->hello = json_deep_copy(hello);
    if (s->state == SANDBOX_STARTING)
        announce_ready(s);
    else if (s->state == SANDBOX_READY)
        tell(s, "worker_started", "", nothing);
}

/* A start that came to nothing. The first one is the user's to know: nothing has ever
 * worked here. Later ones may be bad luck, but not for ever. */
static bool
is_hopeless(struct sandbox *s)
{
    return ++s->failures >= MAX_FAILURES || s->state == SANDBOX_STARTING;
}

static void
certify(struct sandbox *s, const json_t *certificate)
{
    const struct request *running = request_queue_running(s->requests);

    log_info("worker exited id=%s cause=%s", s->id,
             json_string_value(json_object_get(certificate, "cause")));
    tell(s, "worker_exited", running ? running->id : "", certificate);
    request_queue_end(s->requests);
}

static void
on_worker_gone(void *context, const json_t *certificate)
{
    struct sandbox *s = context;
    bool was_ready = worker_is_ready(s->worker);

    worker_free(TAKE(s->worker));
    if (s->state == SANDBOX_ENDING || s->state == SANDBOX_FAILED)
        return;
    if (was_ready) {
        certify(s, certificate);
    } else if (is_hopeless(s)) {
        fail_with(s, "worker-start",
                  json_string_value(json_object_get(certificate, "message")));
        return;
    }
    if (s->init)
        start_worker(s);
    else
        spawn(s);
}

static void
on_request_start(void *context)
{
    struct sandbox *s = context;

    resources_request_started(s->resources);
}

static void
on_request_end(void *context)
{
    struct sandbox *s = context;

    resources_request_ended(s->resources);
    sandbox_touch(s);
}

static struct memory_verdict
judge_worker(void *context)
{
    struct sandbox *s = context;

    return resources_judge(s->resources);
}

static int
connect_worker(struct sandbox *s, struct error *err)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return error_sys(err, "make a worker's channel");
    AUTO(fd) int theirs = ends[1];
    const struct worker_spec spec = {
        .loop = s->host->loop,
        .log = s->log,
        .requests = s->requests,
        .channel = ends[0],
        .ops = {on_worker_ready, on_request_start, on_request_end, judge_worker,
                on_worker_gone, s},
    };
    s->worker = worker_new(&spec, err);
    if (!s->worker)
        return -1;
    /* An init that cannot be told is about to be gone, or the deadline finds out. */
    if (init_start_worker(s->init, theirs, err) < 0)
        log_info("id=%s: %s", s->id, err->text);
    return 0;
}

static void
start_worker(struct sandbox *s)
{
    struct error err;

    loop_timer_set(s->host->loop, &s->start_deadline, START_MS);
    if (connect_worker(s, &err) < 0)
        fail_with(s, "system", err.text);
}

static void
on_log_has_room(void *context)
{
    struct sandbox *s = context;

    if (s->worker)
        worker_log_has_room(s->worker);
}

/* --- init --- */

/* Programs make little of an answer of 403; their user reads it here. */
static void
on_refusal(void *context, const char *sentence)
{
    struct sandbox *s = context;
    const struct request *running = request_queue_running(s->requests);
    json_auto_t *content = json_pack("{s:s}", "message", sentence);

    tell(s, "notice", running ? running->id : "", content);
}

static void
on_init_ready(void *context, int workspace, int listener)
{
    struct sandbox *s = context;
    const struct proxy_spec proxy = {.loop = s->host->loop,
                                     .listener = listener,
                                     .sandbox = s->id,
                                     .on_refusal = on_refusal,
                                     .context = s};
    struct error err;

    if (workspace_set(&s->workspace, workspace, s->files_owner, &err) < 0)
        log_info("id=%s: %s", s->id, err.text);
    if (network_open(&s->network, &proxy, &err) < 0)
        fail_with(s, error_code(err.kind), err.text);
    else if (s->state != SANDBOX_ENDING && s->state != SANDBOX_FAILED)
        start_worker(s);
}

static void
on_init_failed(void *context, const json_t *failure)
{
    fail(context, failure);
}

static void
on_worker_started(void *context, int pidfd)
{
    struct sandbox *s = context;

    if (!s->worker) {
        auto_fd(&pidfd);
        return;
    }
    worker_started(s->worker, pidfd);
    pid_t pid = worker_pid(s->worker);
    if (pid > 0)
        resources_worker_started(s->resources, pid);
}

static bool
on_worker_succeeded(void *context, int pidfd)
{
    struct sandbox *s = context;

    if (s->worker)
        return worker_succeeded(s->worker, pidfd);
    auto_fd(&pidfd);
    return false;
}

static void
on_worker_exited(void *context, int status, uint64_t peak_bytes, const char *call)
{
    struct sandbox *s = context;

    if (!s->worker)
        return;
    worker_note_call(s->worker, call);
    worker_exited(s->worker, status, peak_bytes);
}

static void
on_init_gone(void *context)
{
    struct sandbox *s = context;

    init_free(TAKE(s->init));
    network_close(&s->network);
    workspace_release(&s->workspace);
    resources_init_gone(s->resources);
    if (s->state == SANDBOX_ENDING) {
        schedule_burial(s);
    } else if (s->worker) {
        worker_exited(s->worker, SIGKILL, 0); /* then on_worker_gone spawns */
    } else if (s->state != SANDBOX_FAILED) {
        if (is_hopeless(s))
            fail_with(s, "init-died", "The sandbox ended before it was ready.");
        else
            spawn(s);
    }
}

static void
on_spawned(void *context, pid_t pid, int pidfd)
{
    struct sandbox *s = context;

    log_debug("spawned id=%s pid=%d", s->id, (int)pid);
    init_spawned(s->init, pid, pidfd);
    resources_init_spawned(s->resources, pid);
    if (s->state == SANDBOX_STARTING || s->state == SANDBOX_READY)
        loop_timer_set(s->host->loop, &s->start_deadline, START_MS);
}

/* The zygote's death is nobody's fault: once more. */
static void
on_spawn_failed(void *context, const json_t *failure)
{
    struct sandbox *s = context;
    const char *code = json_string_value(json_object_get(failure, "code"));

    init_free(TAKE(s->init));
    if (s->state == SANDBOX_ENDING)
        schedule_burial(s);
    else if (code && strcmp(code, "zygote-died") == 0 && ++s->failures < MAX_FAILURES)
        spawn(s);
    else
        fail(s, failure);
}

static int
submit(struct sandbox *s, struct error *err)
{
    AUTO(spec) struct spec spec = {.json = NULL};
    const struct init_ops ops = {on_init_ready,
                                 on_init_failed,
                                 on_worker_started,
                                 on_worker_exited,
                                 on_worker_succeeded,
                                 on_init_gone,
                                 s};
    const struct spec_place place = {
        .state_dir = s->host->state_dir,
        .python = s->claim.template ? s->claim.template : s->host->python,
        .idmaps = s->host->idmaps,
        .is_pod = s->host->is_pod,
        .network = &s->network,
        .slot = s->slot,
        .memory_limit = resources_memory_limit(s->resources)};
    int ends[2];

    if (spec_make(&s->claim, &place, &spec, err) < 0 || packet_pair(ends, err) < 0)
        return -1;
    AUTO(fd) int theirs = ends[1];
    s->init = init_new(s->host->loop, ends[0], ops);
    s->files_owner = spec.owner;
    s->job.spec = TAKE(spec.json);
    s->job.init_socket = take_fd(&theirs);
    s->job.idmap = spec.idmap;
    zygotes_submit(s->host->zygotes, place.python, &s->job);
    return 0;
}

static void
spawn(struct sandbox *s)
{
    struct error err;

    /* In a pod, what init had started lives on: only the pod's end ends it. */
    if (s->host->is_pod && s->state == SANDBOX_READY) {
        sandbox_end(s);
        return;
    }
    if (submit(s, &err) < 0)
        fail_with(s, error_code(err.kind), err.text);
}

/* --- life --- */

static void
on_ttl(void *context)
{
    struct sandbox *s = context;

    log_info("its time is up id=%s", s->id);
    sandbox_end(s);
}

static void
on_idle(void *context)
{
    struct sandbox *s = context;
    int64_t limit = s->claim.idle_seconds * 1000;

    if (request_queue_running(s->requests) || request_queue_waiting(s->requests))
        sandbox_touch(s);
    int64_t left = s->touched_ms + limit - loop_now_ms();
    if (left > 0) {
        loop_timer_set(s->host->loop, &s->idle, left);
        return;
    }
    log_info("idle for too long id=%s", s->id);
    sandbox_end(s);
}

static void
on_owner_gone(void *context, uint32_t events UNUSED)
{
    struct sandbox *s = context;

    log_info("its owner has ended id=%s", s->id);
    sandbox_end(s);
}

static void
set_ttl(struct sandbox *s, json_int_t seconds)
{
    time_t end = time(NULL) + (time_t)seconds;
    struct tm utc;

    strftime(s->expires_at, sizeof(s->expires_at), "%Y-%m-%dT%H:%M:%SZ",
             gmtime_r(&end, &utc));
    loop_timer_set(s->host->loop, &s->ttl, seconds * 1000);
}

static void
set_idle(struct sandbox *s, json_int_t seconds)
{
    s->claim.idle_seconds = seconds;
    loop_timer_set(s->host->loop, &s->idle, seconds * 1000);
}

void
sandbox_extend(struct sandbox *s, const struct extension *extension)
{
    if (extension->ttl_seconds)
        set_ttl(s, extension->ttl_seconds);
    if (extension->idle_seconds)
        set_idle(s, extension->idle_seconds);
}

/* --- its limits --- */

static void
on_worker_entered(void *context)
{
    struct sandbox *s = context;

    if (s->worker)
        worker_admit(s->worker);
}

static void
alarm_worker(void *context, enum resource_alarm alarm)
{
    static const int signals[] = {
        [ALARM_MEMORY] = SIGNAL_MEMORY,
        [ALARM_TIME] = SIGNAL_TIME,
    };
    struct sandbox *s = context;

    if (s->worker && worker_is_ready(s->worker))
        worker_signal(s->worker, signals[alarm]);
}

static void
kill_worker(void *context, enum resource_alarm why)
{
    struct sandbox *s = context;

    if (s->worker)
        worker_kill(s->worker, why == ALARM_MEMORY ? END_MEMORY : END_TIME);
}

static void
give_notice(void *context, const char *message)
{
    struct sandbox *s = context;
    const struct request *running = request_queue_running(s->requests);
    json_auto_t *content = json_pack("{s:s}", "message", message);

    tell(s, "notice", running ? running->id : "", content);
}

static void
on_time_up(void *context, const char *message)
{
    fail_with(context, "resources", message);
}

static pid_t
find_worker(void *context)
{
    struct sandbox *s = context;

    return s->worker ? worker_pid(s->worker) : -1;
}

static int
limit(struct sandbox *s, struct error *err)
{
    const struct resources_ops ops = {on_worker_entered,
                                      alarm_worker,
                                      kill_worker,
                                      give_notice,
                                      on_time_up,
                                      find_worker,
                                      s};

    return resources_new(&s->resources, &s->host->resources, s->id, s->claim.resources,
                         &ops, err);
}

struct sandbox *
sandbox_new(const struct sandbox_host *host, struct claim *claim, unsigned slot,
            struct error *err)
{
    AUTO(sandbox) struct sandbox *s = xcalloc(1, sizeof(*s));

    *s = (struct sandbox){.host = host, .slot = slot, .owner = -1, .claim = *claim};
    s->workspace = (struct workspace)WORKSPACE_INIT;
    *claim = (struct claim){.tree = NULL};
    token_random_hex(s->id, ID_BYTES);
    token_make(&s->token);
    s->log = event_log_new(LIMIT_EVENT_LOG_BYTES, on_log_has_room, s);
    s->requests = request_queue_new();
    s->job = (struct zygote_job){.id = s->id,
                                 .init_socket = -1,
                                 .on_spawned = on_spawned,
                                 .on_failed = on_spawn_failed,
                                 .context = s};
    s->owner_watch = (struct loop_watch){.on_ready = on_owner_gone, .context = s};
    s->start_deadline = (struct loop_timer){.on_due = on_start_deadline, .context = s};
    s->ttl = (struct loop_timer){.on_due = on_ttl, .context = s};
    s->idle = (struct loop_timer){.on_due = on_idle, .context = s};
    s->burial = (struct loop_timer){.on_due = on_burial, .context = s};
    sandbox_touch(s);
    s->made_ms = s->touched_ms;
    if (network_plan(&s->network, s->claim.network, s->claim.waive, err) < 0 ||
        limit(s, err) < 0 || submit(s, err) < 0)
        return NULL;
    sandbox_extend(s, &(struct extension){s->claim.ttl_seconds, s->claim.idle_seconds});
    return TAKE(s);
}

void
sandbox_free(struct sandbox *s)
{
    if (!s)
        return;
    struct loop *loop = s->host->loop;
    zygote_job_withdraw(&s->job);
    assert(s->job.state == JOB_NONE);
    loop_timer_cancel(loop, &s->start_deadline);
    loop_timer_cancel(loop, &s->ttl);
    loop_timer_cancel(loop, &s->idle);
    loop_timer_cancel(loop, &s->burial);
    loop_watch_stop(loop, &s->owner_watch);
    auto_fd(&s->owner);
    worker_free(s->worker);
    init_free(s->init);
    network_release(&s->network);
    resources_free(s->resources);
    event_log_free(s->log);
    request_queue_free(s->requests);
    json_decref(s->hello);
    json_decref(s->failure);
    workspace_release(&s->workspace);
    claim_release(&s->claim);
    free(s);
}

int
sandbox_set_owner(struct sandbox *s, int socket, struct error *err)
{
    s->owner = process_open_peer(socket, err);
    if (s->owner < 0)
        return -1;
    s->owner_watch.fd = s->owner;
    return loop_watch_start(s->host->loop, &s->owner_watch, EPOLLIN, err);
}

/* --- what clients do --- */

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
    return &s->workspace;
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

void
sandbox_touch(struct sandbox *s)
{
    s->touched_ms = loop_now_ms();
}

int
sandbox_request(struct sandbox *s, struct buffer *envelope, struct error *err)
{
    int known =
        check_usable(s, err) < 0 ? -1 : request_queue_add(s->requests, envelope, err);

    if (known == 0 && s->worker)
        worker_pump(s->worker);
    return known;
}

int
sandbox_input(struct sandbox *s, const char *value, uint64_t question,
              struct error *err)
{
    if (!s->worker)
        return error_set(err, ERR_CONFLICT, "no code waits for input");
    return worker_answer(s->worker, value, question, err);
}

bool
sandbox_interrupt(struct sandbox *s, const char *request, int64_t number)
{
    if (number && number <= s->interrupt.number)
        return s->interrupt.was_delivered;
    s->interrupt.was_delivered = s->worker && worker_interrupt(s->worker, request);
    if (number)
        s->interrupt.number = number;
    return s->interrupt.was_delivered;
}

/* A worker that has not said hello yet is as fresh as one can be. */
int
sandbox_restart(struct sandbox *s, struct error *err)
{
    if (check_usable(s, err) < 0)
        return -1;
    if (s->worker && worker_is_ready(s->worker))
        worker_kill(s->worker, END_RESTART);
    return 0;
}

json_t *
sandbox_usage(struct sandbox *s)
{
    return usage_measure(&s->meter, s->init ? init_pid(s->init) : 0,
                         s->worker ? worker_pid(s->worker) : -1);
}

/* Whose it is, and what it is busy with: for people who look. */
static void
describe_use(struct sandbox *s, json_t *about)
{
    const struct request *running = request_queue_running(s->requests);
    pid_t owner = s->owner >= 0 ? process_pid(s->owner) : -1;
    pid_t pid = s->worker ? worker_pid(s->worker) : -1;

    if (pid > 0)
        json_object_set_new(about, "worker", json_pack("{s:i}", "pid", (int)pid));
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
                              s->claim.task_id, "state", states[s->state].name,
                              "age_ms", (json_int_t)(loop_now_ms() - s->made_ms),
                              "waiting", (json_int_t)request_queue_waiting(s->requests),
                              "usage", sandbox_usage(s));

    if (*s->expires_at)
        json_object_set_new(about, "expires_at", json_string(s->expires_at));
    json_object_set_new(about, "resources", resources_describe(s->resources));
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
    return json_pack("{s:s, s:s, s:s, s:s?}", "id", s->id, "token", s->token.text,
                     "state", states[s->state].name, "expires_at",
                     *s->expires_at ? s->expires_at : NULL);
}
