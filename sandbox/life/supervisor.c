#include "sandbox/life/supervisor_state.h"

#include <assert.h>
#include <signal.h>

#include "sandbox/life/spec.h"
#include "sandbox/start/packet.h"
#include "sandbox/start/zygote_process.h"

#define LOG_COMPONENT "supervisor"
#include "common/log.h"

enum {
    START_MS = 60000, /* from a spawned init, or a started worker, to hello */
    MAX_FAILURES = 3, /* starts in a row that came to nothing */
};

void
supervisor_expect_start(struct supervisor *s)
{
    loop_timer_set(supervisor_loop(s), &s->start_deadline, START_MS);
}

/* --- failure and end --- */

bool
supervisor_stop(struct supervisor *s)
{
    s->is_stopped = true;
    loop_timer_cancel(supervisor_loop(s), &s->start_deadline);
    loop_timer_cancel(supervisor_loop(s), &s->next_start);
    loop_timer_cancel(supervisor_loop(s), &s->look);
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

void
supervisor_fail(struct supervisor *s, const char *code, const char *message)
{
    json_auto_t *failure = zygote_failure(code, "", message, "");

    fail(s, failure);
}

static void
fail_with(struct supervisor *s, const struct error *err)
{
    json_auto_t *failure = zygote_failure(error_code(err->kind), "", err->text,
                                          zygote_process_remedy(err->sys));

    fail(s, failure);
}

/* A start that came to nothing. The first one is the user's to know: nothing has ever
 * worked here. Later ones may be bad luck, but not for ever. */
bool
supervisor_is_hopeless(struct supervisor *s)
{
    return ++s->failures >= MAX_FAILURES || !s->was_ready;
}

static void
on_start_deadline(void *context)
{
    supervisor_fail(context, "start-timeout",
                    "The sandbox did not become ready within 60 seconds.");
}

static void
report_gone(struct supervisor *s)
{
    s->is_stopped = true;
    s->spec.ops.on_gone(s->spec.ops.context);
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
on_init_ready(void *context, const struct init_passed *passed, const char *notice)
{
    struct supervisor *s = context;
    const struct proxy_spec proxy = {.loop = supervisor_loop(s),
                                     .listener = passed->listener,
                                     .sandbox = s->spec.id,
                                     .on_refusal = on_refusal,
                                     .context = s};
    struct error err;

    resources_init_ready(s->resources, passed->scratch);
    if (notice && !s->was_ready && !s->untold)
        s->untold = xstrdup(notice);
    if (workspace_set(&s->workspace, passed->workspace, s->files_owner, &err) < 0)
        log_info("id=%s: %s", s->spec.id, err.text);
    if (!s->was_ready)
        supervisor_know_files(s);
    if (network_open(&s->network, &proxy, &err) < 0)
        fail_with(s, &err);
    else if (!s->is_stopped)
        supervisor_start_worker(s);
}

static void
on_init_failed(void *context, const json_t *failure)
{
    fail(context, failure);
}

static void
on_init_gone(void *context)
{
    struct supervisor *s = context;

    init_free(TAKE(s->init));
    loop_timer_cancel(supervisor_loop(s), &s->next_start);
    supervisor_forget_look(s);
    network_close(&s->network);
    workspace_release(&s->workspace);
    resources_init_gone(s->resources);
    if (s->is_stopped)
        report_gone(s);
    else if (s->worker)
        worker_exited(s->worker, SIGKILL, 0); /* then on_worker_gone spawns */
    else if (supervisor_is_hopeless(s))
        supervisor_fail(s, "init-died", "The sandbox ended before it was ready.");
    else
        supervisor_spawn(s);
}

static void
on_spawned(void *context, pid_t pid, int pidfd)
{
    struct supervisor *s = context;

    log_debug("spawned id=%s pid=%d", s->spec.id, (int)pid);
    init_spawned(s->init, pid, pidfd);
    resources_init_spawned(s->resources, pid);
    if (!s->is_stopped)
        supervisor_expect_start(s);
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
        supervisor_spawn(s);
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
                                 supervisor_worker_started,
                                 supervisor_worker_exited,
                                 supervisor_worker_succeeded,
                                 on_init_gone,
                                 s};
    const struct spec_place place = {
        .state_dir = host->state_dir,
        .python = claim->template ? claim->template : host->python,
        .idmap_cache = host->idmap_cache,
        .is_pod = host->is_pod,
        .network = &s->network,
        .slot = s->spec.slot,
        .memory_limit = resources_memory_limit(s->resources),
        .is_metered = resources_are_metered(s->resources)};
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

void
supervisor_spawn(struct supervisor *s)
{
    struct error err;

    /* In a pod, what init had started lives on: only the pod's end ends it. */
    if (s->spec.host->is_pod && s->was_ready)
        report_gone(s);
    else if (submit(s, &err) < 0)
        fail_with(s, &err);
}

/* --- life --- */

/* Who asked for it is told at once; no failure of a sandbox tells what helps. */
static void
add_remedy(struct error *err)
{
    const struct error was = *err;
    const char *remedy = zygote_process_remedy(was.sys);

    if (*remedy) {
        (void)error_set(err, was.kind, "%s. %s", was.text, remedy);
        err->sys = was.sys;
    }
}

struct supervisor *
supervisor_new(const struct supervisor_spec *spec, struct error *err)
{
    AUTO(supervisor) struct supervisor *s = xcalloc(1, sizeof(*s));

    *s = (struct supervisor){.spec = *spec, .workspace = WORKSPACE_INIT};
    s->untold = spec->host->notice ? xstrdup(spec->host->notice) : NULL;
    s->start_deadline = (struct loop_timer){.on_due = on_start_deadline, .context = s};
    s->next_start =
        (struct loop_timer){.on_due = supervisor_on_next_start, .context = s};
    s->look = (struct loop_timer){.on_due = supervisor_on_look, .context = s};
    s->job = (struct zygote_job){.id = spec->id,
                                 .init_socket = -1,
                                 .on_spawned = on_spawned,
                                 .on_failed = on_spawn_failed,
                                 .context = s};
    if (network_plan(&s->network, spec->claim->network, spec->claim->waive, err) < 0 ||
        supervisor_limit(s, err) < 0 || submit(s, err) < 0) {
        add_remedy(err);
        return NULL;
    }
    return TAKE(s);
}

void
supervisor_free(struct supervisor *s)
{
    if (!s)
        return;
    zygote_job_withdraw(&s->job);
    assert(s->job.state == JOB_NONE);
    loop_timer_cancel(supervisor_loop(s), &s->start_deadline);
    loop_timer_cancel(supervisor_loop(s), &s->next_start);
    loop_timer_cancel(supervisor_loop(s), &s->look);
    worker_free(s->worker);
    init_free(s->init);
    network_release(&s->network);
    resources_free(s->resources);
    workspace_release(&s->workspace);
    autorun_names_release(&s->autorun_names);
    free(s->untold);
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

json_t *
supervisor_variables(const struct supervisor *s)
{
    return s->worker ? worker_variables(s->worker) : NULL;
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
