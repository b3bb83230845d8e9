#include "sandbox/messages/worker_message.h"
#include "sandbox/running/worker_state.h"

#define LOG_COMPONENT "worker"
#include "common/log.h"

/* --- its end --- */

static void
refuse_open(struct worker *w)
{
    static const struct slice content =
        SLICE("{\"type\":\"response\",\"success\":false,\"message\":\"The debugger has "
              "ended. Start it again, and set the breakpoints again.\"}");
    const struct request *open;

    while ((open = request_queue_first_aside(w->spec.requests))) {
        event_log_append(w->spec.log,
                         &(struct event){.type = messages_name(MESSAGE_DEBUG_REPLY),
                                         .parent = open->id,
                                         .content = content});
        request_queue_end_aside(w->spec.requests, open->id);
    }
}

/* Clients have a panel open: it closes. */
static void
tell_end(struct worker *w)
{
    static const struct slice content =
        SLICE("{\"type\":\"event\",\"event\":\"terminated\",\"seq\":0,\"body\":{}}");

    event_log_append(w->spec.log,
                     &(struct event){.type = messages_name(MESSAGE_DEBUG_EVENT),
                                     .parent = "",
                                     .content = content});
}

void
worker_end_debugger(struct worker *w)
{
    bool was_there = w->debugs;

    w->debugs = false;
    channel_free(TAKE(w->debugger));
    refuse_open(w);
    if (was_there)
        tell_end(w);
}

/* --- what it says --- */

static void
on_envelope(void *context, const struct envelope *e, char **memory UNUSED)
{
    struct worker *w = context;
    struct error err;
    bool ends;

    if (worker_message_check_aside(e, w->spec.requests, &ends, &err) < 0) {
        worker_end_debugger(w);
        worker_violate(w, err.text);
        return;
    }
    event_log_append(w->spec.log, &(struct event){.type = e->type,
                                                  .parent = e->parent,
                                                  .content = e->content,
                                                  .metadata = e->metadata});
    if (ends)
        request_queue_end_aside(w->spec.requests, e->parent);
    if (event_log_is_full(w->spec.log))
        channel_pause(w->debugger, true);
    worker_pump_asides(w);
}

static void
on_end(void *context, const struct error *err)
{
    struct worker *w = context;

    worker_end_debugger(w);
    if (err)
        worker_violate(w, err->text);
    else
        worker_pump(w);
}

/* --- its channel --- */

int
worker_lend_debugger(struct worker *w)
{
    const struct channel_ops ops = {on_envelope, on_end, w, w->spec.most_bytes};
    struct error err;

    if (!worker_runs(w, "debug_request") || w->debugs)
        return -1;
    worker_end_debugger(w);
    int end = channel_pair(&w->debugger, w->spec.loop, ops, &err);
    if (end < 0)
        log_error("%s", err.text);
    return end;
}

void
worker_hear_debugger(struct worker *w)
{
    w->debugs = w->debugger && worker_runs(w, "debug_request");
    worker_pump_asides(w);
}

void
worker_pump_asides(struct worker *w)
{
    struct request *request;

    while (w->debugs && worker_is_alive(w) &&
           (request = request_queue_start_aside(w->spec.requests)))
        channel_send(w->debugger, &request->bytes);
}
