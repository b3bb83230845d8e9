#include "sandbox/life/supervisor.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>

#include "common/limits.h"
#include "sandbox/life/autorun_names.h"
#include "sandbox/life/init.h"
#include "sandbox/life/packet.h"
#include "sandbox/life/spec.h"
#include "sandbox/network/network.h"

#define LOG_COMPONENT "supervisor"
#include "common/log.h"

enum {
    /* What a worker takes as MemoryError, TimeoutError and OSError; real-time signals,
     * which nothing else sends. cellpod/interrupts.py has the same numbers. */
    SIGNAL_MEMORY = 37,
    SIGNAL_TIME = 38,
    SIGNAL_WRITES = 39,
    START_MS = 60000, /* from a spawned init, or a started worker, to hello */
    LOOK_MS = 1,      /* from the end of a request to a look at what it has made */
    MAX_FAILURES = 3, /* starts in a row that came to nothing */
};

struct supervisor {
    struct supervisor_spec spec;
    bool was_ready, is_stopped;
    unsigned failures;
    struct loop_timer start_deadline;
    struct zygote_job job;
    struct init *init;
    struct worker *worker;
    struct network network;
    struct workspace workspace;
    int64_t files_owner;
    struct resources *resources;
    struct autorun_names autorun_names;
    struct loop_timer look; /* for what the last request has made */
    char begun[LIMIT_REQUEST_ID + 1], ended[LIMIT_REQUEST_ID + 1]; /* the last ones */
};

static struct loop *
loop_of(const struct supervisor *s)
{
    return s->spec.host->loop;
}

static void
expect_start(struct supervisor *s)
{
    loop_timer_set(loop_of(s), &s->start_deadline, START_MS);
}

/* --- failure and end --- */

bool
supervisor_stop(struct supervisor *s)
{
    s->is_stopped = true;
    loop_timer_cancel(loop_of(s), &s->start_deadline);
    loop_timer_cancel(loop_of(s), &s->look);
    if (zygote_job_withdraw(&s->job))
        init_free(TAKE(s->init));
    if (s->init)
        init_kill(s->init);
    return !s->init;
}

static void
fail(struct supervisor *s, const json_t *failure)
{
    if (!s->is_stopped)
        s->spec.ops.on_failed(s->spec.ops.context, failure);
}

static void
fail_with(struct supervisor *s, const char *code, const char *message)
{
    json_auto_t *failure = zygote_failure(code, "", message, "");

    fail(s, failure);
}

/* A start that came to nothing. The first one is the user's to know: nothing has ever
 * worked here. Later ones may be bad luck, but not for ever. */
static bool
is_hopeless(struct supervisor *s)
{
    return ++s->failures >= MAX_FAILURES || !s->was_ready;
}

static void
on_start_deadline(void *context)
{
    fail_with(context, "start-timeout",
              "The sandbox did not become ready within 60 seconds.");
}

static void
report_gone(struct supervisor *s)
{
    s->is_stopped = true;
    s->spec.ops.on_gone(s->spec.ops.context);
}

/* --- what a request has made --- */

/* A private workspace has no owner to warn. */
static bool
may_change_users_folder(const struct supervisor *s)
{
    const struct claim *claim = s->spec.claim;

    return claim->workspace_path && strcmp(claim->workspace_mode, "rw") == 0 &&
           s->workspace.root >= 0;
}

/* When its answer is on its way: it need not wait for this. */
static void
on_look(void *context)
{
    struct supervisor *s = context;
    AUTO(mem) char *news =
        may_change_users_folder(s)
            ? autorun_names_look(&s->autorun_names, s->workspace.root)
            : NULL;

    if (news)
        s->spec.ops.on_notice(s->spec.ops.context, s->ended, news);
}

static void
look_soon(struct supervisor *s)
{
    memcpy(s->ended, s->begun, sizeof(s->ended));
    loop_timer_set(loop_of(s), &s->look, LOOK_MS);
}

/* --- workers --- */

static void spawn(struct supervisor *s);
static void start_worker(struct supervisor *s);

static void
on_worker_ready(void *context, const json_t *hello)
{
    struct supervisor *s = context;

    loop_timer_cancel(loop_of(s), &s->start_deadline);
    s->failures = 0;
    s->was_ready = true;
    s->spec.ops.on_ready(s->spec.ops.context, hello);
}

static void
on_worker_gone(void *context, const json_t *report)
{
    struct supervisor *s = context;
    bool was_ready = worker_is_ready(s->worker);

    worker_free(TAKE(s->worker));
    if (s->is_stopped)
        return;
    if (was_ready) {
        look_soon(s);
        s->spec.ops.on_worker_exited(s->spec.ops.context, report);
    } else if (is_hopeless(s)) {
        fail_with(s, "worker-start",
                  json_string_value(json_object_get(report, "message")));
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
    struct supervisor *s = context;
    const struct request *running = request_queue_running(s->spec.requests);

    snprintf(s->begun, sizeof(s->begun), "%s", running->id);
    resources_request_started(s->resources);
}

static void
on_request_end(void *context)
{
    struct supervisor *s = context;

    resources_request_ended(s->resources);
    look_soon(s);
    s->spec.ops.on_request_end(s->spec.ops.context);
}

static struct memory_verdict
judge_worker(void *context)
{
    struct supervisor *s = context;

    return resources_judge(s->resources);
}

static int
connect_worker(struct supervisor *s, struct error *err)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return error_sys(err, "make a worker's channel");
    AUTO(fd) int ours = ends[0], theirs = ends[1];
    AUTO(output_journal) struct output_journal *words = output_journal_new(ours, err);
    if (!words)
        return -1;
    const struct worker_spec spec = {
        .loop = loop_of(s),
        .log = s->spec.log,
        .requests = s->spec.requests,
        .channel = take_fd(&ours),
        .words = TAKE(words),
        .checkpoints = resources_checkpoints(s->resources),
        .ops = {on_worker_ready, on_request_start, on_request_end, judge_worker,
                on_worker_gone, s},
    };
    s->worker = worker_new(&spec, err);
    if (!s->worker)
        return -1;
    /* An init that cannot be told is about to be gone, or the deadline finds out. */
    if (init_start_worker(s->init, theirs, err) < 0)
        log_info("id=%s: %s", s->spec.id, err->text);
    return 0;
}

static void
start_worker(struct supervisor *s)
{
    struct error err;

    expect_start(s);
    if (connect_worker(s, &err) < 0)
        fail_with(s, "system", err.text);
}

/* --- init --- */

/* Programs make little of an answer of 403; their user reads it here. */
static void
on_refusal(void *context, const char *sentence)
{
    struct supervisor *s = context;

    s->spec.ops.on_notice(s->spec.ops.context, NULL, sentence);
}

static void
on_init_ready(void *context, int workspace, int listener)
{
    struct supervisor *s = context;
    const struct proxy_spec proxy = {.loop = loop_of(s),
                                     .listener = listener,
                                     .sandbox = s->spec.id,
                                     .on_refusal = on_refusal,
                                     .context = s};
    struct error err;

    if (workspace_set(&s->workspace, workspace, s->files_owner, &err) < 0)
        log_info("id=%s: %s", s->spec.id, err.text);
    if (!s->was_ready && may_change_users_folder(s))
        autorun_names_begin(&s->autorun_names, s->workspace.root);
    if (network_open(&s->network, &proxy, &err) < 0)
        fail_with(s, error_code(err.kind), err.text);
    else if (!s->is_stopped)
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
    struct supervisor *s = context;

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
on_worker_succeeded(void *context, int pidfd, const struct init_exit *exit)
{
    struct supervisor *s = context;

    if (!s->worker) {
        auto_fd(&pidfd);
        return false;
    }
    worker_note_call(s->worker, exit->call);
    return worker_succeeded(s->worker, pidfd, exit->status, exit->peak_bytes);
}

static void
on_worker_exited(void *context, const struct init_exit *exit)
{
    struct supervisor *s = context;

    if (!s->worker)
        return;
    worker_note_call(s->worker, exit->call);
    worker_exited(s->worker, exit->status, exit->peak_bytes);
}

static void
on_init_gone(void *context)
{
    struct supervisor *s = context;

    init_free(TAKE(s->init));
    network_close(&s->network);
    workspace_release(&s->workspace);
    resources_init_gone(s->resources);
    if (s->is_stopped)
        report_gone(s);
    else if (s->worker)
        worker_exited(s->worker, SIGKILL, 0); /* then on_worker_gone spawns */
    else if (is_hopeless(s))
        fail_with(s, "init-died", "The sandbox ended before it was ready.");
    else
        spawn(s);
}

static void
on_spawned(void *context, pid_t pid, int pidfd)
{
    struct supervisor *s = context;

    log_debug("spawned id=%s pid=%d", s->spec.id, (int)pid);
    init_spawned(s->init, pid, pidfd);
    resources_init_spawned(s->resources, pid);
    if (!s->is_stopped)
        expect_start(s);
}

/* The zygote died, which the sandbox did not cause: try again. */
static void
on_spawn_failed(void *context, const json_t *failure)
{
    struct supervisor *s = context;
    const char *code = json_string_value(json_object_get(failure, "code"));

    init_free(TAKE(s->init));
    if (s->is_stopped)
        report_gone(s);
    else if (code && strcmp(code, "zygote-died") == 0 && ++s->failures < MAX_FAILURES)
        spawn(s);
    else
        fail(s, failure);
}

static int
submit(struct supervisor *s, struct error *err)
{
    const struct sandbox_host *host = s->spec.host;
    const struct claim *claim = s->spec.claim;
    AUTO(spec) struct spec spec = {.json = NULL};
    const struct init_ops ops = {on_init_ready,
                                 on_init_failed,
                                 on_worker_started,
                                 on_worker_exited,
                                 on_worker_succeeded,
                                 on_init_gone,
                                 s};
    const struct spec_place place = {
        .state_dir = host->state_dir,
        .python = claim->template ? claim->template : host->python,
        .idmap_cache = host->idmap_cache,
        .is_pod = host->is_pod,
        .network = &s->network,
        .slot = s->spec.slot,
        .memory_limit = resources_memory_limit(s->resources)};
    int ends[2];

    if (spec_make(claim, &place, &spec, err) < 0 || packet_pair(ends, err) < 0)
        return -1;
    AUTO(fd) int theirs = ends[1];
    s->init = init_new(host->loop, ends[0], ops);
    s->files_owner = spec.owner;
    s->job.spec = TAKE(spec.json);
    s->job.init_socket = take_fd(&theirs);
    s->job.idmap = spec.idmap;
    zygote_pool_submit(host->zygotes, place.python, &s->job);
    return 0;
}

static void
spawn(struct supervisor *s)
{
    struct error err;

    /* In a pod, what init had started lives on: only the pod's end ends it. */
    if (s->spec.host->is_pod && s->was_ready)
        report_gone(s);
    else if (submit(s, &err) < 0)
        fail_with(s, error_code(err.kind), err.text);
}

/* --- its limits --- */

static void
on_worker_entered(void *context)
{
    struct supervisor *s = context;

    if (s->worker)
        worker_admit(s->worker);
}

static void
alarm_worker(void *context, enum resource_alarm alarm)
{
    static const int signals[] = {
        [ALARM_MEMORY] = SIGNAL_MEMORY,
        [ALARM_TIME] = SIGNAL_TIME,
        [ALARM_WRITES] = SIGNAL_WRITES,
    };
    struct supervisor *s = context;

    if (s->worker && worker_is_ready(s->worker))
        worker_signal(s->worker, signals[alarm]);
}

static void
kill_worker(void *context, enum resource_alarm why)
{
    static const enum worker_end ends[] = {
        [ALARM_MEMORY] = END_MEMORY,
        [ALARM_TIME] = END_TIME,
        [ALARM_WRITES] = END_WRITES,
    };
    struct supervisor *s = context;

    if (s->worker)
        worker_kill(s->worker, ends[why]);
}

static void
give_notice(void *context, const char *message)
{
    struct supervisor *s = context;

    s->spec.ops.on_notice(s->spec.ops.context, NULL, message);
}

static void
on_time_up(void *context, const char *message)
{
    fail_with(context, "resources", message);
}

static bool
is_worker(void *context, pid_t pid)
{
    struct supervisor *s = context;

    return s->worker && worker_is_process(s->worker, pid);
}

static bool
give_way(void *context)
{
    struct supervisor *s = context;

    return s->worker && worker_give_way(s->worker);
}

static int
limit(struct supervisor *s, struct error *err)
{
    const struct resources_ops ops = {on_worker_entered,
                                      alarm_worker,
                                      kill_worker,
                                      give_notice,
                                      on_time_up,
                                      is_worker,
                                      give_way,
                                      s};

    return resources_new(&s->resources, &s->spec.host->resources, s->spec.id,
                         s->spec.claim->resources, &ops, err);
}

/* --- life --- */

struct supervisor *
supervisor_new(const struct supervisor_spec *spec, struct error *err)
{
    AUTO(supervisor) struct supervisor *s = xcalloc(1, sizeof(*s));

    *s = (struct supervisor){.spec = *spec, .workspace = WORKSPACE_INIT};
    s->start_deadline = (struct loop_timer){.on_due = on_start_deadline, .context = s};
    s->look = (struct loop_timer){.on_due = on_look, .context = s};
    s->job = (struct zygote_job){.id = spec->id,
                                 .init_socket = -1,
                                 .on_spawned = on_spawned,
                                 .on_failed = on_spawn_failed,
                                 .context = s};
    if (network_plan(&s->network, spec->claim->network, spec->claim->waive, err) < 0 ||
        limit(s, err) < 0 || submit(s, err) < 0)
        return NULL;
    return TAKE(s);
}

void
supervisor_free(struct supervisor *s)
{
    if (!s)
        return;
    zygote_job_withdraw(&s->job);
    assert(s->job.state == JOB_NONE);
    loop_timer_cancel(loop_of(s), &s->start_deadline);
    loop_timer_cancel(loop_of(s), &s->look);
    worker_free(s->worker);
    init_free(s->init);
    network_release(&s->network);
    resources_free(s->resources);
    workspace_release(&s->workspace);
    free(s);
}

struct worker *
supervisor_worker(const struct supervisor *s)
{
    return s->worker;
}

pid_t
supervisor_init(const struct supervisor *s)
{
    return s->init ? init_pid(s->init) : 0;
}

pid_t
supervisor_worker_pid(const struct supervisor *s)
{
    return s->worker ? worker_pid(s->worker) : -1;
}

const struct workspace *
supervisor_workspace(const struct supervisor *s)
{
    return &s->workspace;
}

json_t *
supervisor_limits(const struct supervisor *s)
{
    return resources_describe(s->resources);
}
