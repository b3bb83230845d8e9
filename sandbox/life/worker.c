#include "sandbox/life/worker.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>

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
    SUCCESSION_MS = 10000, /* the same when a successor is likely */
};

/* state, and the states it may be entered from */
#define IN(state) (1U << WORKER_##state)
#define WORKER_STATES(X)                            \
    X(STARTING, 0)                                  \
    X(IDLE, IN(STARTING) | IN(BUSY))                \
    X(BUSY, IN(IDLE))                               \
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
    struct loop_timer overdue, interrupt_timer;
    struct interrupt interrupt;
    json_t *hello; /* until it is ready */
    bool is_admitted, said_hello, asks, has_begun, was_ready;
    uint64_t question;     /* seq of the last input_request */
    bool may_be_succeeded; /* once for each attempt_end_request */
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

/* --- its end --- */

/* Checked like any message of it; one that may not be said is dropped. */
static void
on_last_words(void *context, const char *stream, const char *parent, struct slice text)
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
hear_last_words(struct worker *w)
{
    const struct request *running = request_queue_running(w->spec.requests);

    if (w->spec.words && w->was_ready && w->death.end != END_PROTOCOL)
        output_journal_read(w->spec.words, running ? running->id : "", on_last_words,
                            w);
}

static void
finish(struct worker *w)
{
    json_auto_t *certificate = NULL;

    enter(w, WORKER_GONE);
    hear_last_words(w);
    w->death.violation = w->violation;
    w->death.variables = w->variables;
    w->death.refused_call = w->refused_call;
    w->death.memory = w->spec.ops.judge(w->spec.ops.context);
    certificate = exit_report_make(&w->death);
    w->spec.ops.on_gone(w->spec.ops.context, certificate);
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

void
worker_kill(struct worker *w, enum worker_end end)
{
    if (!is_alive(w))
        return;
    if (w->death.end == END_NONE)
        w->death.end = end;
    if (w->pidfd < 0)
        return; /* worker_started does it */
    process_kill(w->pidfd);
    loop_timer_set(w->spec.loop, &w->overdue, OVERDUE_MS);
}

void
worker_exited(struct worker *w, int status, uint64_t peak_bytes)
{
    if (!is_alive(w))
        return;
    enter(w, WORKER_DRAINING);
    loop_timer_cancel(w->spec.loop, &w->overdue);
    loop_timer_cancel(w->spec.loop, &w->interrupt_timer);
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

    loop_timer_set(w->spec.loop, &w->overdue,
                   w->may_be_succeeded ? SUCCESSION_MS : OVERDUE_MS);
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
    request_queue_end(w->spec.requests);
    w->asks = w->has_begun = false;
    forget_interrupt(w);
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

void
worker_log_has_room(struct worker *w)
{
    if (w->channel)
        channel_pause(w->channel, false);
}

/* --- what it is told --- */

void
worker_pump(struct worker *w)
{
    struct request *request;

    if (w->state != WORKER_IDLE || !w->channel || w->death.end != END_NONE ||
        !(request = request_queue_start(w->spec.requests)))
        return;
    enter(w, WORKER_BUSY);
    if (request->type->id == MESSAGE_ATTEMPT_END_REQUEST)
        w->may_be_succeeded = true;
    w->spec.ops.on_request_start(w->spec.ops.context);
    channel_send(w->channel, &request->bytes);
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

bool
worker_interrupt(struct worker *w, const char *request_id)
{
    if (w->state != WORKER_BUSY || w->pidfd < 0 ||
        (request_id && !request_queue_is_running(w->spec.requests, request_id)))
        return false;
    if (!interrupt_is_open(&w->interrupt))
        loop_timer_set(w->spec.loop, &w->interrupt_timer, INTERRUPT_TICK_MS);
    act(w, interrupt_ask(&w->interrupt));
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

/* The old process may have been seen to end, and an interrupt may have gone to it. An
 * end of the channel is as wrong as ever. */
bool
worker_succeeded(struct worker *w, int pidfd)
{
    AUTO(fd) int successor = pidfd;

    if (!w->may_be_succeeded || !is_alive(w))
        return false;
    w->may_be_succeeded = false;
    if (successor < 0)
        return true; /* dead already: init says so next */
    process_watch_stop(&w->process);
    if (!w->channel_ended)
        loop_timer_cancel(w->spec.loop, &w->overdue);
    auto_fd(&w->pidfd);
    watch_process(w, take_fd(&successor));
    if (w->death.end != END_NONE)
        worker_kill(w, w->death.end);
    else if (interrupt_is_open(&w->interrupt))
        send_interrupt(w);
    return true;
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
    const struct channel_ops ops = {on_envelope, on_channel_end, w};

    w->spec = *spec;
    w->pidfd = -1;
    w->process = (struct process_watch){.on_end = on_process_ended, .context = w};
    w->overdue = (struct loop_timer){.on_due = on_overdue, .context = w};
    w->interrupt_timer = (struct loop_timer){.on_due = on_interrupt_tick, .context = w};
    w->channel = channel_new(spec->loop, spec->channel, ops, err);
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
    process_watch_stop(&w->process);
    auto_fd(&w->pidfd);
    channel_free(w->channel);
    json_decref(w->hello);
    json_decref(w->variables);
    output_journal_free(w->spec.words);
    free(w);
}
