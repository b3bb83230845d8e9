#include <stdio.h>

#include "sandbox/messages/worker_message.h"
#include "sandbox/running/worker_state.h"

#define LOG_COMPONENT "worker"
#include "common/log.h"

enum {
    ADOPT_BYTES =
        64 << 10, /* from here on, copying costs more than a block of its own */
};

void
worker_become_ready(struct worker *w)
{
    if (!w->hello || !w->is_admitted || w->pidfd < 0 || w->state != WORKER_STARTING)
        return;
    json_auto_t *hello = TAKE(w->hello);
    w->was_ready = true;
    worker_enter(w, WORKER_IDLE);
    worker_lend_beside(w);
    w->spec.ops.on_ready(w->spec.ops.context, hello);
    worker_pump(w);
}

static void
hear_hello(struct worker *w, const struct envelope *e)
{
    struct error err;

    w->hello = worker_message_parse_hello(e->content, &err);
    if (!w->hello) {
        worker_violate(w, err.text);
        return;
    }
    w->said_hello = true;
    worker_become_ready(w);
}

static void
hear_variables(struct worker *w, const struct envelope *e)
{
    struct error err;
    json_t *variables = worker_message_parse_variables(e->content, &err);

    if (!variables) {
        worker_violate(w, err.text);
        return;
    }
    json_decref(w->variables);
    w->variables = variables;
}

/* The first ones that it tells; what more it says is not worth a thought. */
static void
hear_imports(struct worker *w, const struct envelope *e)
{
    struct error err;
    json_auto_t *names = worker_message_parse_imports(e->content, &err);

    if (!names) {
        worker_violate(w, err.text);
        return;
    }
    w->imports += json_array_size(names) + 1;
    if (w->imports <= 2 * LIMIT_IMPORTS)
        w->spec.ops.on_imports(w->spec.ops.context, names);
}

static void
hear_interrupted(struct worker *w, const struct envelope *e)
{
    if (!request_queue_is_running(w->spec.requests, e->parent))
        return;
    w->asks = false; /* input() was left by KeyboardInterrupt */
    worker_forget_interrupt(w);
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
    if (memory && event_bytes(&event) >= ADOPT_BYTES)
        event_log_adopt(w->spec.log, &event, memory);
    else
        event_log_append(w->spec.log, &event);
    if (event_log_is_full(w->spec.log))
        channel_pause(w->channel, true);
}

/* Of a cell that begins; it is counted by the worker alone. 0: not a number. */
static int
number_of(const struct envelope *e)
{
    json_auto_t *content =
        e->content.len <= CELL_BYTES
            ? json_loadb(e->content.data, e->content.len, JSON_ALLOW_NUL, NULL)
            : NULL;
    json_int_t number = json_integer_value(json_object_get(content, "execution_count"));

    return number > 0 && number < INT32_MAX ? (int)number : 0;
}

static void
note_number(struct worker *w, const struct envelope *e)
{
    int number = number_of(e);

    if (number)
        checkpoint_ring_begin_cell(&w->ring, w->number = number);
}

/* Its changes are not those of the main shell's cells, but its number is taken. */
static void
note_number_beside(struct worker *w, const struct envelope *e)
{
    int number = number_of(e);

    if (number > w->counted)
        w->counted = number;
}

static void
end_request(struct worker *w)
{
    if (worker_runs(w, "attempt_end_request") && worker_is_alive(w))
        worker_settle_attempt(w);
    request_queue_end(w->spec.requests);
    json_decref(TAKE(w->asked));
    w->asks = w->has_begun = false;
    w->wishes = 0;
    worker_forget_restore(w);
    worker_forget_interrupt(w);
    loop_timer_cancel(w->spec.loop, &w->grace);
    if (w->state == WORKER_BUSY)
        worker_enter(w, WORKER_IDLE);
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
        worker_violate(w, err.text);
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
    case WORKER_IMPORTS:
        hear_imports(w, e);
        break;
    case WORKER_WISHES:
        worker_hear_wish(w, e);
        break;
    case WORKER_DEBUGS:
        worker_hear_debugger(w);
        break;
    case WORKER_BEGINS:
        w->has_begun = true;
        note_number(w, e);
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
    case WORKER_BEGINS_BESIDE:
        request_queue_find_beside(w->spec.requests, e->parent)->has_begun = true;
        note_number_beside(w, e);
        relay(w, e, memory);
        break;
    case WORKER_ENDS_BESIDE:
        relay(w, e, memory);
        request_queue_end_beside(w->spec.requests, e->parent);
        worker_pump(w);
        break;
    }
}

static void
on_channel_end(void *context, const struct error *err)
{
    struct worker *w = context;

    w->channel_ended = true;
    if (err)
        worker_violate(w, err->text);
    else if (w->state == WORKER_DRAINING)
        worker_finish(w);
    else
        worker_expect_word(w);
}

struct channel_ops
worker_channel_ops(struct worker *w)
{
    return (struct channel_ops){on_envelope, on_channel_end, w, w->spec.most_bytes};
}

void
worker_log_has_room(struct worker *w)
{
    if (w->channel)
        channel_pause(w->channel, false);
    if (w->debugger)
        channel_pause(w->debugger, false);
}
