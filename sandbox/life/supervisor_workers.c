/* The workers, one after the other, and what their requests have made. */
#include <stdio.h>
#include <sys/socket.h>

#include "sandbox/life/supervisor_state.h"
#include "sandbox/messages/channel.h"

#define LOG_COMPONENT "supervisor"
#include "common/log.h"

enum {
    LOOK_MS = 1, /* from the end of a request to a look at what it has made */
    VAIN_AT_ONCE =
        3,         /* workers that end by themselves, before the next one has to wait */
    WAIT_MS = 100, /* of the first that has to; doubled with each */
    WAIT_DOUBLED = 7, /* at most: 13 seconds */
};

/* --- what a request has made --- */

/* A private workspace has no owner to warn. */
static bool
may_change_users_folder(const struct supervisor *s)
{
    const struct claim *claim = s->spec.claim;

    return claim->workspace_path && strcmp(claim->workspace_mode, "rw") == 0 &&
           s->workspace.root >= 0;
}

/* What is there before there is a worker is not news. */
void
supervisor_know_files(struct supervisor *s)
{
    if (!may_change_users_folder(s))
        return;
    autorun_names_begin(&s->autorun_names, s->workspace.root);
    s->is_learning = true;
    supervisor_on_look(s);
}

void
supervisor_forget_look(struct supervisor *s)
{
    loop_timer_cancel(supervisor_loop(s), &s->look);
    if (s->is_learning)
        autorun_names_release(&s->autorun_names);
    s->is_learning = s->looks_again = false;
}

static void
look_soon(struct supervisor *s)
{
    memcpy(s->ended, s->begun, sizeof(s->ended));
    s->looks_again = autorun_names_is_looking(&s->autorun_names);
    if (!s->looks_again)
        loop_timer_set(supervisor_loop(s), &s->look, LOOK_MS);
}

static void
end_look(struct supervisor *s)
{
    AUTO(mem) char *news = autorun_names_news(&s->autorun_names);
    const bool was_learning = s->is_learning, looks_again = s->looks_again;

    s->is_learning = s->looks_again = false;
    if (looks_again)
        loop_timer_set(supervisor_loop(s), &s->look, LOOK_MS);
    if (!was_learning && news)
        s->spec.ops.on_notice(s->spec.ops.context, s->ended, news);
    else if (was_learning && s->waits_for_look)
        supervisor_start_worker(s);
}

/* When a request's answer is on its way: it need not wait for this. */
void
supervisor_on_look(void *context)
{
    struct supervisor *s = context;

    if (!autorun_names_is_looking(&s->autorun_names) && may_change_users_folder(s))
        (void)autorun_names_look(&s->autorun_names, s->workspace.root);
    if (autorun_names_go_on(&s->autorun_names))
        loop_timer_set(supervisor_loop(s), &s->look, 0);
    else
        end_look(s);
}

/* --- a worker's life --- */

static void
on_worker_ready(void *context, const json_t *hello)
{
    struct supervisor *s = context;

    loop_timer_cancel(supervisor_loop(s), &s->start_deadline);
    s->failures = 0;
    s->was_ready = true;
    s->spec.ops.on_ready(s->spec.ops.context, hello);
}

/* One that runs nothing ends by what is in it, a start-up file of the user's say, and
 * so will the next one. A restart is the user's wish, and what a cell does is over with
 * it. */
static void
count_vain(struct supervisor *s, const json_t *report)
{
    const char *cause = json_string_value(json_object_get(report, "cause"));

    if (request_queue_running(s->spec.requests))
        s->vain = 0;
    else if (!cause || strcmp(cause, "restart") != 0)
        s->vain++;
}

void
supervisor_on_next_start(void *context)
{
    struct supervisor *s = context;

    if (s->init)
        supervisor_start_worker(s);
    else
        supervisor_spawn(s);
}

static void
start_next(struct supervisor *s)
{
    const unsigned waits = s->vain < VAIN_AT_ONCE ? 0 : s->vain - VAIN_AT_ONCE + 1;

    if (waits == 0) {
        supervisor_on_next_start(s);
        return;
    }
    if (waits == 1)
        s->spec.ops.on_notice(
            s->spec.ops.context, NULL,
            "The worker has ended several times in a row, before any cell ran in it. "
            "Each further start waits longer, up to 13 seconds. Look for what runs "
            "when "
            "Python starts, or restart the kernel.");
    loop_timer_set(supervisor_loop(s), &s->next_start,
                   WAIT_MS << (waits - 1 < WAIT_DOUBLED ? waits - 1 : WAIT_DOUBLED));
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
        count_vain(s, report);
        s->spec.ops.on_worker_exited(s->spec.ops.context, report);
    } else if (supervisor_is_hopeless(s)) {
        supervisor_fail(s, "worker-start",
                        json_string_value(json_object_get(report, "message")));
        return;
    }
    start_next(s);
}

static void
on_request_start(void *context)
{
    struct supervisor *s = context;
    const struct request *running = request_queue_running(s->spec.requests);

    s->vain = 0;
    s->spec.host->tally->cells += (running->type->carries & IS_COUNTED) != 0;
    snprintf(s->begun, sizeof(s->begun), "%s", running->id);
    if (s->untold && running->type->carries & IS_COUNTED) {
        s->spec.ops.on_notice(s->spec.ops.context, NULL, s->untold);
        free(TAKE(s->untold));
    }
    resources_request_started(s->resources);
    s->spec.ops.on_request_start(s->spec.ops.context);
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

static bool
is_memory_tight(void *context)
{
    struct supervisor *s = context;

    return resources_is_memory_half_used(s->resources);
}

static void
on_imports(void *context, const json_t *names)
{
    struct supervisor *s = context;
    const struct claim *claim = s->spec.claim;

    zygote_pool_learn(s->spec.host->zygotes,
                      claim->template ? claim->template : s->spec.host->python, names);
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
        .loop = supervisor_loop(s),
        .log = s->spec.log,
        .requests = s->spec.requests,
        .channel = take_fd(&ours),
        .words = TAKE(words),
        .most_bytes = channel_share(resources_memory_limit(s->resources)),
        .checkpoints = resources_checkpoints(s->resources),
        .ops = {on_worker_ready, on_request_start, on_request_end, judge_worker,
                is_memory_tight, on_imports, on_worker_gone, s},
    };
    s->worker = worker_new(&spec, err);
    if (!s->worker)
        return -1;
    /* An init that cannot be told is about to be gone, or the deadline finds out. */
    if (init_start_worker(s->init, theirs, err) < 0)
        log_info("id=%s: %s", s->spec.id, err->text);
    return 0;
}

void
supervisor_start_worker(struct supervisor *s)
{
    struct error err;

    s->waits_for_look = s->is_learning;
    if (s->waits_for_look)
        return;
    supervisor_expect_start(s);
    if (connect_worker(s, &err) < 0)
        supervisor_fail(s, "system", err.text);
}

/* --- init's news of them --- */

void
supervisor_worker_started(void *context, int pidfd)
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

bool
supervisor_worker_succeeded(void *context, int pidfd, const struct init_exit *exit)
{
    struct supervisor *s = context;

    if (!s->worker) {
        auto_fd(&pidfd);
        return false;
    }
    worker_note_call(s->worker, exit->call);
    return worker_succeeded(s->worker, pidfd, exit->status, exit->peak_bytes);
}

void
supervisor_worker_exited(void *context, const struct init_exit *exit)
{
    struct supervisor *s = context;

    if (!s->worker)
        return;
    worker_note_call(s->worker, exit->call);
    worker_exited(s->worker, exit->status, exit->peak_bytes);
}
