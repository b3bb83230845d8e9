#include "sandbox/running/worker.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>

#include "sandbox/messages/worker_message.h"
#include "sandbox/running/worker_state.h"

#define LOG_COMPONENT "worker"
#include "common/log.h"

static const struct {
    const char *name;
    unsigned from;
} states[] = {
#define X(state, from) [WORKER_##state] = {#state, from},
    WORKER_STATES(X)
#undef X
};

void
worker_enter(struct worker *w, enum worker_state state)
{
    assert(states[state].from & 1U << w->state);
    log_debug("%s -> %s", states[w->state].name, states[state].name);
    w->state = state;
}

bool
worker_is_alive(const struct worker *w)
{
    return w->state < WORKER_DRAINING;
}

bool
worker_is_ready(const struct worker *w)
{
    return w->was_ready;
}

bool
worker_is_busy(const struct worker *w)
{
    return w->state == WORKER_BUSY;
}

pid_t
worker_pid(const struct worker *w)
{
    return w->pidfd >= 0 ? process_pid(w->pidfd) : -1;
}

uint64_t
worker_question(const struct worker *w)
{
    return w->asks ? w->question : 0;
}

json_t *
worker_variables(const struct worker *w)
{
    return json_incref(w->variables);
}

bool
worker_is_process(const struct worker *w, pid_t pid)
{
    return pid > 0 && (worker_pid(w) == pid || checkpoint_pid(&w->checkpoint) == pid ||
                       checkpoint_ring_is_process(&w->ring, pid));
}

bool
worker_runs(const struct worker *w, const char *type)
{
    const struct request *running = request_queue_running(w->spec.requests);

    return running && strcmp(running->type->type, type) == 0;
}

/* --- its end --- */

/* Checked like any message of it; one that may not be said is dropped. */
static void
on_journal_text(void *context, const char *stream, const char *parent,
                struct slice text)
{
    struct worker *w = context;
    const struct worker_talk talk = {w->said_hello, w->asks, w->has_begun,
                                     w->spec.requests};
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);
    enum worker_message_kind kind;
    struct error err;

    buffer_printf(&content, "{\"name\":\"%s\",\"text\":", stream);
    buffer_append_json_string(&content, text);
    buffer_append_text(&content, "}");
    const struct envelope e = {.type = messages_name(MESSAGE_STREAM),
                               .parent = parent,
                               .content = buffer_slice(&content)};
    if (worker_message_check(&e, &talk, &kind, &err) < 0) {
        log_info("output journal: %s", err.text);
        return;
    }
    event_log_append(
        w->spec.log,
        &(struct event){.type = e.type, .parent = e.parent, .content = e.content});
}

static void
read_journal(struct worker *w)
{
    const struct request *running = request_queue_running(w->spec.requests);

    if (w->spec.words && w->was_ready && w->death.end != END_PROTOCOL)
        output_journal_read(w->spec.words, running ? running->id : "", on_journal_text,
                            w);
}

json_t *
worker_make_report(struct worker *w)
{
    w->death.violation = w->violation;
    w->death.variables = w->variables;
    w->death.refused_call = w->refused_call;
    w->death.memory = w->spec.ops.judge(w->spec.ops.context);
    return exit_report_make(&w->death);
}

void
worker_finish(struct worker *w)
{
    read_journal(w);
    worker_end_debugger(w);
    worker_end_besides(w);
    if (w->heir) {
        worker_wake_checkpoint(w);
        return;
    }
    worker_enter(w, WORKER_GONE);
    checkpoint_drop(&w->checkpoint);
    checkpoint_ring_drop(&w->ring);
    json_auto_t *report = worker_make_report(w);
    w->spec.ops.on_gone(w->spec.ops.context, report);
}

static void
stop_talking(struct worker *w)
{
    channel_free(TAKE(w->channel));
    w->channel_ended = true;
}

void
worker_violate(struct worker *w, const char *what)
{
    log_error("protocol violation: %s", what);
    snprintf(w->violation, sizeof(w->violation), "%s", what);
    stop_talking(w);
    if (worker_is_alive(w)) {
        worker_kill(w, END_PROTOCOL);
    } else {
        w->death.end = END_PROTOCOL;
        worker_finish(w);
    }
}

void
worker_expect_word(struct worker *w)
{
    bool lives = w->pidfd < 0 || process_is_alive(w->pidfd);

    loop_timer_set(w->spec.loop, &w->overdue, lives ? OVERDUE_MS : UNTOLD_MS);
}

/* All of it ends with a restart; whatever else ends a worker, a checkpoint takes its
 * place, if there is one. */
void
worker_kill(struct worker *w, enum worker_end end)
{
    if (w->heir)
        w->is_to_restart = w->is_to_restart || end == END_RESTART;
    if (!worker_is_alive(w))
        return;
    if (end == END_RESTART) {
        checkpoint_drop(&w->checkpoint);
        checkpoint_ring_drop(&w->ring);
    }
    if (end == END_RESTART || w->death.end == END_NONE)
        w->death.end = end;
    if (w->pidfd < 0)
        return; /* worker_started does it */
    process_kill(w->pidfd);
    loop_timer_set(w->spec.loop, &w->overdue, UNTOLD_MS);
}

void
worker_exited(struct worker *w, int status, uint64_t peak_bytes)
{
    if (!worker_is_alive(w))
        return;
    worker_enter(w, WORKER_DRAINING);
    loop_timer_cancel(w->spec.loop, &w->overdue);
    loop_timer_cancel(w->spec.loop, &w->interrupt_timer);
    loop_timer_cancel(w->spec.loop, &w->grace);
    loop_timer_cancel(w->spec.loop, &w->restore_timer);
    process_watch_stop(&w->process);
    if (!w->is_death_known) {
        w->death.status = status;
        w->death.peak_bytes = peak_bytes;
    }
    /* A child of it may still hold the channel: it may say no more. */
    if (w->channel)
        channel_refuse_more(w->channel);
    if (w->channel_ended)
        worker_finish(w);
}

/* Its end of file or its death was seen, and init has not said a word. */
static void
on_overdue(void *context)
{
    struct worker *w = context;

    if (w->pidfd < 0)
        return;
    if (process_is_alive(w->pidfd)) {
        snprintf(w->violation, sizeof(w->violation), "it closed its channel");
        worker_kill(w, END_PROTOCOL);
    } else {
        worker_exited(w, SIGKILL, 0);
    }
}

static void
on_process_ended(void *context)
{
    worker_expect_word(context);
}

/* --- life --- */

void
worker_watch_process(struct worker *w, int pidfd)
{
    struct error err;

    w->pidfd = pidfd;
    if (process_watch_start(w->spec.loop, &w->process, pidfd, &err) < 0)
        log_error("%s", err.text);
}

void
worker_started(struct worker *w, int pidfd)
{
    if (w->pidfd >= 0 || pidfd < 0) {
        auto_fd(&pidfd);
        return;
    }
    worker_watch_process(w, pidfd);
    if (w->death.end != END_NONE)
        worker_kill(w, w->death.end);
    else
        worker_become_ready(w);
}

void
worker_note_call(struct worker *w, const char *name)
{
    snprintf(w->refused_call, sizeof(w->refused_call), "%s", name);
}

void
worker_admit(struct worker *w)
{
    w->is_admitted = true;
    worker_become_ready(w);
}

void
worker_signal(struct worker *w, int signal)
{
    if (worker_is_alive(w))
        process_signal(w->pidfd, signal);
}

bool
worker_give_way(struct worker *w)
{
    return !w->heir && checkpoint_ring_give_way(&w->ring);
}

struct worker *
worker_new(const struct worker_spec *spec, struct error *err)
{
    AUTO(worker) struct worker *w = xcalloc(1, sizeof(*w));

    w->spec = *spec;
    w->pidfd = -1;
    w->process = (struct process_watch){.on_end = on_process_ended, .context = w};
    w->overdue = (struct loop_timer){.on_due = on_overdue, .context = w};
    w->interrupt_timer =
        (struct loop_timer){.on_due = worker_on_interrupt_tick, .context = w};
    w->grace = (struct loop_timer){.on_due = worker_on_grace_over, .context = w};
    w->restore_timer =
        (struct loop_timer){.on_due = worker_on_restore_overdue, .context = w};
    w->wanted = NOTHING_WANTED;
    w->checkpoint = (struct checkpoint){.loop = spec->loop,
                                        .socket = -1,
                                        .pidfd = -1,
                                        .on_frozen = worker_on_checkpoint_frozen,
                                        .on_settled = worker_on_checkpoint_settled,
                                        .context = w};
    checkpoint_ring_init(&w->ring, spec->loop, spec->checkpoints,
                         &(struct checkpoint_ring_ops){worker_on_checkpoint_frozen,
                                                       worker_on_checkpoint_settled,
                                                       worker_on_named, w});
    w->channel = channel_new(spec->loop, spec->channel, worker_channel_ops(w), err);
    if (!w->channel)
        return NULL;
    return TAKE(w);
}

void
worker_free(struct worker *w)
{
    if (!w)
        return;
    loop_timer_cancel(w->spec.loop, &w->overdue);
    loop_timer_cancel(w->spec.loop, &w->interrupt_timer);
    loop_timer_cancel(w->spec.loop, &w->grace);
    loop_timer_cancel(w->spec.loop, &w->restore_timer);
    process_watch_stop(&w->process);
    checkpoint_drop(&w->checkpoint);
    checkpoint_ring_drop(&w->ring);
    auto_fd(&w->pidfd);
    channel_free(w->channel);
    channel_free(w->debugger);
    channel_free(w->beside);
    json_decref(w->hello);
    json_decref(w->variables);
    json_decref(w->asked);
    json_decref(w->told);
    output_journal_free(w->spec.words);
    free(w);
}
