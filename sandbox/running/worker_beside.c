#include "sandbox/running/worker_state.h"

#define LOG_COMPONENT "worker"
#include "common/log.h"

static const struct slice died = SLICE(
    "{\"message\":\"The worker has ended, and what ran in its subshells with it. "
    "A subshell can be used again: it then runs in the worker that took over.\"}");

static void
lose_open(struct worker *w)
{
    const struct request *open;

    while ((open = request_queue_first_beside(w->spec.requests))) {
        event_log_append(w->spec.log,
                         &(struct event){.type = messages_name(MESSAGE_REQUEST_LOST),
                                         .parent = open->id,
                                         .content = died});
        request_queue_end_beside(w->spec.requests, open->id);
    }
}

/* --- its channel: the worker answers on its other one --- */

static void
on_envelope(void *context, const struct envelope *e UNUSED, char **memory UNUSED)
{
    worker_violate(context, "a message where it only listens");
}

static void
on_end(void *context, const struct error *err)
{
    struct worker *w = context;

    channel_free(TAKE(w->beside));
    if (err)
        worker_violate(w, err->text);
    else if (worker_is_alive(w)) /* it may be dead, and init has not said so yet */
        worker_expect_word(w);
}

void
worker_lend_beside(struct worker *w)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    json_auto_t *line = json_pack("{s:s}", "type", "beside");
    const struct channel_ops ops = {on_envelope, on_end, w, LIMIT_ENVELOPE_LINE};
    struct error err;
    int end = channel_pair(&w->beside, w->spec.loop, ops, &err);

    if (end < 0 ||
        envelope_append(&bytes, line, SLICE("{}"), SLICE(""), NULL, 0, &err) < 0) {
        auto_fd(&end);
        worker_violate(w, err.text);
        return;
    }
    channel_send_with(w->channel, &bytes, end);
}

/* --- what goes there --- */

/* While an attempt may be undone nobody else's work may be undone with it. */
static bool
may_start(const struct worker *w)
{
    return w->beside && worker_is_alive(w) && w->death.end == END_NONE &&
           !checkpoint_is_frozen(&w->checkpoint) && !worker_runs(w, "attempt_request");
}

void
worker_pump_besides(struct worker *w)
{
    struct request *request;

    while (may_start(w) && (request = request_queue_start_beside(w->spec.requests)))
        channel_send(w->beside, &request->bytes);
}

void
worker_end_besides(struct worker *w)
{
    channel_free(TAKE(w->beside));
    lose_open(w);
}
