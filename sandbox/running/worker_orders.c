#include <signal.h>
#include <stdio.h>

#include "sandbox/running/worker_state.h"

#define LOG_COMPONENT "worker"
#include "common/log.h"

enum {
    GRACE_MS = 100, /* what an attempt gets to clean up after an interrupt */
};

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
    worker_settle_attempt(w);
    event_log_append(
        w->spec.log,
        &(struct event){.type = "notice", .parent = next->id, .content = content});
    return false;
}

/* A cell that takes the worker with it is answered by a checkpoint, which has to know
 * what it was. */
static void
remember_cell(struct worker *w, const struct request *request)
{
    AUTO(envelope) struct envelope e = ENVELOPE_INIT;
    struct error err;

    json_decref(TAKE(w->asked));
    if (request->type->carries & IS_COUNTED && w->ring.keep &&
        request->bytes.len <= CELL_BYTES &&
        envelope_parse(buffer_slice(&request->bytes), &e, NULL, &err) > 0)
        w->asked = json_loadb(e.content.data, e.content.len, JSON_ALLOW_NUL, NULL);
}

void
worker_pump(struct worker *w)
{
    worker_pump_asides(w);
    worker_pump_besides(w);
    const struct request *next = request_queue_next(w->spec.requests);
    if (w->state != WORKER_IDLE || !w->channel || w->death.end != END_NONE || !next)
        return;
    if (is_to_be_undone(w, next)) {
        worker_kill(w, END_UNDONE);
        return;
    }
    worker_enter(w, WORKER_BUSY);
    struct request *request = request_queue_start(w->spec.requests);
    w->spec.ops.on_request_start(w->spec.ops.context);
    snprintf(w->last, sizeof(w->last), "%s", request->id);
    remember_cell(w, request);
    int lent = worker_lend_debugger(w);
    channel_send_with(w->channel, &request->bytes,
                      lent >= 0 ? lent : worker_lend_checkpoint(w));
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

void
worker_forget_interrupt(struct worker *w)
{
    interrupt_close(&w->interrupt);
    loop_timer_cancel(w->spec.loop, &w->interrupt_timer);
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
    static const struct slice lost = SLICE(
        "{\"message\":\"The cell does not react to the interrupt: it is in native "
        "code. A second interrupt ends the worker; its variables are then lost.\"}");
    static const struct slice kept = SLICE(
        "{\"message\":\"The cell does not react to the interrupt: it is in native "
        "code. A second interrupt ends it; what it has changed is then undone.\"}");
    const struct slice content = worker_has_heir(w) ? kept : lost;
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

void
worker_on_interrupt_tick(void *context)
{
    struct worker *w = context;
    enum interrupt_action action = interrupt_tick(&w->interrupt);

    act(w, action);
    if (action == INTERRUPT_SIGNAL)
        loop_timer_set(w->spec.loop, &w->interrupt_timer, INTERRUPT_TICK_MS);
}

/* An attempt that was interrupted is not kept, so there is nothing to wait for. */
void
worker_limit_grace(struct worker *w)
{
    if (checkpoint_is_frozen(&w->checkpoint) && worker_runs(w, "attempt_request") &&
        !w->grace.active)
        loop_timer_set(w->spec.loop, &w->grace, GRACE_MS);
}

void
worker_on_grace_over(void *context)
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
    worker_limit_grace(w);
    return true;
}
