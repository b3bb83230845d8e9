#include "sandbox/life/worker.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>

#include "sandbox/life/checkpoint.h"
#include "sandbox/life/interrupt.h"
#include "sandbox/messages/channel.h"
#include "sandbox/messages/worker_message.h"
#include "sandbox/resources/process.h"

#define LOG_COMPONENT "worker"
#include "common/log.h"

enum {
    ADOPT_BYTES =
        64 << 10,      /* from here on, copying costs more than a block of its own */
    OVERDUE_MS = 1000, /* between an end of file, or a death, and init's word of it */
    SUCCESSION_MS = 10000, /* the same when a checkpoint is to take over */
    GRACE_MS = 100,        /* what an attempt gets to clean up after an interrupt */
};

/* state, and the states it may be entered from */
#define IN(state) (1U << WORKER_##state)
#define WORKER_STATES(X)                            \
    X(STARTING, 0)                                  \
    X(IDLE, IN(STARTING) | IN(BUSY) | IN(DRAINING)) \
    X(BUSY, IN(IDLE) | IN(DRAINING))                \
    X(DRAINING, IN(STARTING) | IN(IDLE) | IN(BUSY)) \
    X(GONE, IN(DRAINING))

enum worker_state {
#define X(state, from) WORKER_##state,
    WORKER_STATES(X)
#undef X
};

static const struct {
    const char *name;
    unsigned from;
} states[] = {
#define X(state, from) [WORKER_##state] = {#state, from},
    WORKER_STATES(X)
#undef X
};

struct worker {
    struct worker_spec spec;
    enum worker_state state;
    struct channel *channel; /* NULL after a violation */
    bool channel_ended;
    int pidfd;
    struct process_watch process;
    struct loop_timer overdue, interrupt_timer, grace;
    struct interrupt interrupt;
    struct checkpoint checkpoint;
    json_t *hello; /* until it is ready */
    bool is_admitted, said_hello, asks, has_begun, was_ready;
    uint64_t question;     /* seq of the last input_request */
    bool may_be_succeeded; /* once for each checkpoint */
    bool is_succeeded;     /* dead, and the checkpoint is about to be the worker */
    bool is_to_restart;    /* as soon as it is */
    char violation[512];
    json_t *variables; /* as it said last, or NULL */
    char refused_call[WORKER_CALL_NAME];
    struct worker_death death;
};

static void
enter(struct worker *w, enum worker_state state)
{
    assert(states[state].from & 1U << w->state);
    log_debug("%s -> %s", states[w->state].name, states[state].name);
    w->state = state;
}

static bool
is_alive(const struct worker *w)
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

bool
worker_is_process(const struct worker *w, pid_t pid)
{
    return pid > 0 && (worker_pid(w) == pid || checkpoint_pid(&w->checkpoint) == pid);
}

static bool
runs(const struct worker *w, const char *type)
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

static json_t *
make_report(struct worker *w)
{
    w->death.violation = w->violation;
    w->death.variables = w->variables;
    w->death.refused_call = w->refused_call;
    w->death.memory = w->spec.ops.judge(w->spec.ops.context);
    return exit_report_make(&w->death);
}

static void wake_checkpoint(struct worker *w);

static void
finish(struct worker *w)
{
    read_journal(w);
    if (w->is_succeeded) {
        wake_checkpoint(w);
        return;
    }
    enter(w, WORKER_GONE);
    checkpoint_drop(&w->checkpoint);
    json_auto_t *report = make_report(w);
    w->spec.ops.on_gone(w->spec.ops.context, report);
}

static void
stop_talking(struct worker *w)
{
    channel_free(TAKE(w->channel));
    w->channel_ended = true;
}

static void
violate(struct worker *w, const char *what)
{
    log_error("protocol violation: %s", what);
    snprintf(w->violation, sizeof(w->violation), "%s", what);
    stop_talking(w);
    if (is_alive(w)) {
        worker_kill(w, END_PROTOCOL);
    } else {
        w->death.end = END_PROTOCOL;
        finish(w);
    }
}

static int64_t
patience(const struct worker *w)
{
    return w->may_be_succeeded ? SUCCESSION_MS : OVERDUE_MS;
}

/* All of it ends with a restart; whatever else ends a worker is undone by the
 * checkpoint, if there is one. */
void
worker_kill(struct worker *w, enum worker_end end)
{
    if (w->is_succeeded)
        w->is_to_restart = w->is_to_restart || end == END_RESTART;
    if (!is_alive(w))
        return;
    if (end == END_RESTART)
        checkpoint_drop(&w->checkpoint);
    if (end == END_RESTART || w->death.end == END_NONE)
        w->death.end = end;
    if (w->pidfd < 0)
        return; /* worker_started does it */
    process_kill(w->pidfd);
    loop_timer_set(w->spec.loop, &w->overdue, patience(w));
}

void
worker_exited(struct worker *w, int status, uint64_t peak_bytes)
{
    if (!is_alive(w))
        return;
    enter(w, WORKER_DRAINING);
    loop_timer_cancel(w->spec.loop, &w->overdue);
    loop_timer_cancel(w->spec.loop, &w->interrupt_timer);
    loop_timer_cancel(w->spec.loop, &w->grace);
    process_watch_stop(&w->process);
    w->death.status = status;
    w->death.peak_bytes = peak_bytes;
    /* A child of it may still hold the channel: it may say no more. */
    if (w->channel)
        channel_refuse_more(w->channel);
    if (w->channel_ended)
        finish(w);
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
    struct worker *w = context;

    loop_timer_set(w->spec.loop, &w->overdue, patience(w));
}

/* --- what it says --- */

static void
become_ready(struct worker *w)
{
    if (!w->hello || !w->is_admitted || w->pidfd < 0 || w->state != WORKER_STARTING)
        return;
    json_auto_t *hello = TAKE(w->hello);
    w->was_ready = true;
    enter(w, WORKER_IDLE);
    w->spec.ops.on_ready(w->spec.ops.context, hello);
    worker_pump(w);
}

static void
hear_hello(struct worker *w, const struct envelope *e)
{
    struct error err;

    w->hello = worker_message_parse_hello(e->content, &err);
    if (!w->hello) {
        violate(w, err.text);
        return;
    }
    w->said_hello = true;
    become_ready(w);
}

static void
hear_variables(struct worker *w, const struct envelope *e)
{
    struct error err;
    json_t *variables = worker_message_parse_variables(e->content, &err);

    if (!variables) {
        violate(w, err.text);
        return;
    }
    json_decref(w->variables);
    w->variables = variables;
}

static void
forget_interrupt(struct worker *w)
{
    interrupt_close(&w->interrupt);
    loop_timer_cancel(w->spec.loop, &w->interrupt_timer);
}

/* It has said what became of the attempt: it is kept, or there is none. */
static void
settle_attempt(struct worker *w)
{
    checkpoint_drop(&w->checkpoint);
    w->may_be_succeeded = false;
}

static void
hear_interrupted(struct worker *w, const struct envelope *e)
{
    if (!request_queue_is_running(w->spec.requests, e->parent))
        return;
    w->asks = false; /* input() was left by KeyboardInterrupt */
    forget_interrupt(w);
}

static void
relay(struct worker *w, const struct envelope *e, char **memory)
{
    const struct event event = {.type = e->type,
                                .parent = e->parent,
                                .content = e->content,
                                .metadata = e->metadata,
                                .buffers = e->buffers,
                                .buffer_count = e->buffer_count};

    if (w->spec.words)
        output_journal_said(w->spec.words, (uint64_t)json_integer_value(
                                               json_object_get(e->line, "kept")));
    if (memory && e->content.len + e->metadata.len >= ADOPT_BYTES)
        event_log_adopt(w->spec.log, &event, memory);
    else
        event_log_append(w->spec.log, &event);
    if (event_log_is_full(w->spec.log))
        channel_pause(w->channel, true);
}

static void
end_request(struct worker *w)
{
    if (runs(w, "attempt_end_request") && is_alive(w))
        settle_attempt(w);
    request_queue_end(w->spec.requests);
    w->asks = w->has_begun = false;
    forget_interrupt(w);
    loop_timer_cancel(w->spec.loop, &w->grace);
    if (w->state == WORKER_BUSY)
        enter(w, WORKER_IDLE);
    w->spec.ops.on_request_end(w->spec.ops.context);
    worker_pump(w);
}

static void
on_envelope(void *context, const struct envelope *e, char **memory)
{
    struct worker *w = context;
    const struct worker_talk talk = {w->said_hello, w->asks, w->has_begun,
                                     w->spec.requests};
    enum worker_message_kind kind;
    struct error err;

    if (worker_message_check(e, &talk, &kind, &err) < 0) {
        violate(w, err.text);
        return;
    }
    switch (kind) {
    case WORKER_HELLO:
        hear_hello(w, e);
        break;
    case WORKER_INTERRUPTED:
        hear_interrupted(w, e);
        break;
    case WORKER_VARIABLES:
        hear_variables(w, e);
        break;
    case WORKER_BEGINS:
        w->has_begun = true;
        relay(w, e, memory);
        break;
    case WORKER_OUTPUT:
        relay(w, e, memory);
        break;
    case WORKER_ASKS:
        w->asks = true;
        relay(w, e, memory);
        w->question = event_log_last_seq(w->spec.log);
        break;
    case WORKER_ENDS:
        relay(w, e, memory);
        end_request(w);
        break;
    }
}

static void
on_channel_end(void *context, const struct error *err)
{
    struct worker *w = context;

    w->channel_ended = true;
    if (err)
        violate(w, err->text);
    else if (w->state == WORKER_DRAINING)
        finish(w);
    else
        loop_timer_set(w->spec.loop, &w->overdue, OVERDUE_MS);
}

static struct channel_ops
channel_ops_of(struct worker *w)
{
    return (struct channel_ops){on_envelope, on_channel_end, w};
}

void
worker_log_has_room(struct worker *w)
{
    if (w->channel)
        channel_pause(w->channel, false);
}

/* --- what it is told --- */

static bool
keeps_attempt(const struct request *request)
{
    AUTO(envelope) struct envelope e = ENVELOPE_INIT;
    struct error err;

    if (strcmp(request->type->type, "attempt_end_request") != 0 ||
        envelope_parse(buffer_slice(&request->bytes), &e, NULL, &err) <= 0)
        return false;
    json_auto_t *content = json_loadb(e.content.data, e.content.len, 0, NULL);
    return json_is_true(json_object_get(content, "keep"));
}

/* What the worker has run is undone by whoever wants anything but to keep it; it is not
 * asked. Without its checkpoint it is worth more as it is. */
static bool
is_to_be_undone(struct worker *w, const struct request *next)
{
    static const struct slice content =
        SLICE("{\"message\":\"The copy of the worker that was to undo the code has "
              "ended: what "
              "the code has changed stays changed.\"}");

    if (!checkpoint_is_frozen(&w->checkpoint) || keeps_attempt(next))
        return false;
    if (checkpoint_is_alive(&w->checkpoint))
        return true;
    settle_attempt(w);
    event_log_append(
        w->spec.log,
        &(struct event){.type = "notice", .parent = next->id, .content = content});
    return false;
}

/* For the fork that the worker makes before it runs an attempt. Without one, the
 * attempt is not undone. */
static int
lend_checkpoint(struct worker *w)
{
    struct error err;
    int end;

    if (!runs(w, "attempt_request"))
        return -1;
    end = checkpoint_lend(&w->checkpoint, process_parent(w->pidfd), &err);
    if (end < 0)
        log_info("%s", err.text);
    return end;
}

void
worker_pump(struct worker *w)
{
    const struct request *next = request_queue_next(w->spec.requests);

    if (w->state != WORKER_IDLE || !w->channel || w->death.end != END_NONE || !next)
        return;
    if (is_to_be_undone(w, next)) {
        worker_kill(w, END_UNDONE);
        return;
    }
    enter(w, WORKER_BUSY);
    struct request *request = request_queue_start(w->spec.requests);
    w->spec.ops.on_request_start(w->spec.ops.context);
    channel_send_with(w->channel, &request->bytes, lend_checkpoint(w));
}

int
worker_answer(struct worker *w, const char *value, uint64_t question, struct error *err)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    const struct request *running = request_queue_running(w->spec.requests);

    if (!w->asks || !w->channel || !running)
        return error_set(err, ERR_CONFLICT, "no code waits for input");
    if (question && question != w->question)
        return error_set(err, ERR_CONFLICT, "this input was given already");
    json_auto_t *line =
        json_pack("{s:s, s:s}", "type", messages_name(MESSAGE_INPUT_REPLY), "parent",
                  running->id);
    json_auto_t *content = json_pack("{s:s}", "value", value);
    AUTO(mem) char *text = json_dumps(content, JSON_COMPACT);
    if (envelope_append(&bytes, line, slice_of(text), SLICE(""), NULL, 0, err) < 0)
        return -1;
    w->asks = false;
    channel_send(w->channel, &bytes);
    return 0;
}

static void
send_interrupt(struct worker *w)
{
    struct error err;

    if (process_signal_group(w->pidfd, SIGINT, &err) < 0)
        log_info("interrupt not delivered: %s", err.text);
}

static void
give_notice(struct worker *w)
{
    static const struct slice content = SLICE(
        "{\"message\":\"The cell does not react to the interrupt: it is in native "
        "code. A second interrupt ends the worker; its variables are then lost.\"}");
    const struct request *running = request_queue_running(w->spec.requests);

    event_log_append(w->spec.log, &(struct event){.type = messages_name(MESSAGE_NOTICE),
                                                  .parent = running ? running->id : "",
                                                  .content = content});
}

static void
act(struct worker *w, enum interrupt_action action)
{
    switch (action) {
    case INTERRUPT_NOTHING:
        break;
    case INTERRUPT_SIGNAL:
        send_interrupt(w);
        break;
    case INTERRUPT_NOTICE:
        give_notice(w);
        break;
    case INTERRUPT_KILL:
        worker_kill(w, END_INTERRUPT);
        break;
    }
}

static void
on_interrupt_tick(void *context)
{
    struct worker *w = context;
    enum interrupt_action action = interrupt_tick(&w->interrupt);

    act(w, action);
    if (action == INTERRUPT_SIGNAL)
        loop_timer_set(w->spec.loop, &w->interrupt_timer, INTERRUPT_TICK_MS);
}

/* An attempt that was interrupted is not kept, so there is nothing to wait for. */
static void
limit_grace(struct worker *w)
{
    if (checkpoint_is_frozen(&w->checkpoint) && runs(w, "attempt_request") &&
        !w->grace.active)
        loop_timer_set(w->spec.loop, &w->grace, GRACE_MS);
}

static void
on_grace_over(void *context)
{
    worker_kill(context, END_UNHEARD);
}

bool
worker_interrupt(struct worker *w, const char *request_id)
{
    if (w->state != WORKER_BUSY || w->pidfd < 0 ||
        (request_id && !request_queue_is_running(w->spec.requests, request_id)))
        return false;
    if (!interrupt_is_open(&w->interrupt))
        loop_timer_set(w->spec.loop, &w->interrupt_timer, INTERRUPT_TICK_MS);
    act(w, interrupt_ask(&w->interrupt));
    limit_grace(w);
    return true;
}

/* --- life --- */

static void
watch_process(struct worker *w, int pidfd)
{
    struct error err;

    w->pidfd = pidfd;
    if (process_watch_start(w->spec.loop, &w->process, pidfd, &err) < 0)
        log_error("%s", err.text);
}

/* --- its checkpoint --- */

static void
on_checkpoint_frozen(void *context)
{
    struct worker *w = context;

    w->may_be_succeeded = true;
    if (interrupt_is_open(&w->interrupt))
        limit_grace(w);
}

/* Init has a successor for whom we have given up: it goes the same way. */
static void
kill_successor(struct worker *w, int pidfd)
{
    if (pidfd < 0)
        return; /* dead already: init says so next */
    process_watch_stop(&w->process);
    auto_fd(&w->pidfd);
    watch_process(w, pidfd);
    worker_kill(w, END_RESTART);
}

bool
worker_succeeded(struct worker *w, int pidfd, int status, uint64_t peak_bytes)
{
    AUTO(fd) int successor = pidfd;

    if (!w->may_be_succeeded || !is_alive(w))
        return false;
    w->may_be_succeeded = false;
    if (successor < 0 || !checkpoint_is_frozen(&w->checkpoint)) {
        kill_successor(w, take_fd(&successor));
        return true;
    }
    if (!checkpoint_is_process(&w->checkpoint, successor))
        return false;
    w->is_succeeded = true;
    worker_exited(w, status, peak_bytes);
    return true;
}

/* What it is to answer in place of the worker, if anything, and why. */
static void
append_wake(struct worker *w, struct buffer *bytes)
{
    const struct request *running = request_queue_running(w->spec.requests);
    struct error err;

    w->death.was_attempt = true;
    json_auto_t *content = make_report(w);
    json_auto_t *line = json_pack("{s:s}", "type", "wake");
    if (running) {
        json_object_set_new(line, "id", json_string(running->id));
        json_object_set_new(content, "request", json_string(running->type->type));
    }
    AUTO(mem) char *text = json_dumps(content, JSON_COMPACT);
    if (envelope_append(bytes, line, slice_of(text), SLICE(""), NULL, 0, &err) < 0)
        abort(); /* our own words, and few */
}

static void
begin_anew(struct worker *w)
{
    const bool is_to_restart = w->is_to_restart;

    w->death = (struct worker_death){.end = END_NONE};
    w->violation[0] = w->refused_call[0] = '\0';
    json_decref(TAKE(w->variables)); /* of the one that is dead */
    w->asks = w->is_succeeded = w->is_to_restart = false;
    forget_interrupt(w);
    enter(w, request_queue_running(w->spec.requests) ? WORKER_BUSY : WORKER_IDLE);
    if (is_to_restart || !w->channel)
        worker_kill(w, END_RESTART);
}

/* The dead one's channel goes with it: nobody whom it has left behind can speak. */
static void
wake_checkpoint(struct worker *w)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct error err;
    int socket, pidfd;

    append_wake(w, &bytes);
    if (w->spec.words)
        output_journal_restart(w->spec.words);
    checkpoint_wake(&w->checkpoint, &socket, &pidfd);
    channel_free(TAKE(w->channel));
    w->channel = channel_new(w->spec.loop, socket, channel_ops_of(w), &err);
    w->channel_ended = !w->channel;
    auto_fd(&w->pidfd);
    watch_process(w, pidfd);
    if (w->channel)
        channel_send(w->channel, &bytes);
    begin_anew(w);
    worker_pump(w);
}

void
worker_started(struct worker *w, int pidfd)
{
    if (w->pidfd >= 0 || pidfd < 0) {
        auto_fd(&pidfd);
        return;
    }
    watch_process(w, pidfd);
    if (w->death.end != END_NONE)
        worker_kill(w, w->death.end);
    else
        become_ready(w);
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
    become_ready(w);
}

void
worker_signal(struct worker *w, int signal)
{
    if (is_alive(w))
        process_signal(w->pidfd, signal);
}

struct worker *
worker_new(const struct worker_spec *spec, struct error *err)
{
    AUTO(worker) struct worker *w = xcalloc(1, sizeof(*w));

    w->spec = *spec;
    w->pidfd = -1;
    w->process = (struct process_watch){.on_end = on_process_ended, .context = w};
    w->overdue = (struct loop_timer){.on_due = on_overdue, .context = w};
    w->interrupt_timer = (struct loop_timer){.on_due = on_interrupt_tick, .context = w};
    w->grace = (struct loop_timer){.on_due = on_grace_over, .context = w};
    w->checkpoint = (struct checkpoint){.loop = spec->loop,
                                        .socket = -1,
                                        .pidfd = -1,
                                        .on_frozen = on_checkpoint_frozen,
                                        .context = w};
    w->channel = channel_new(spec->loop, spec->channel, channel_ops_of(w), err);
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
    process_watch_stop(&w->process);
    checkpoint_drop(&w->checkpoint);
    auto_fd(&w->pidfd);
    channel_free(w->channel);
    json_decref(w->hello);
    json_decref(w->variables);
    output_journal_free(w->spec.words);
    free(w);
}
