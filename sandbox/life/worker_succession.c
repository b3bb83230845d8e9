#include <stdio.h>

#include "sandbox/life/worker_state.h"

#define LOG_COMPONENT "worker"
#include "common/log.h"

/* It has said what became of the attempt: it is kept, or there is none. */
void
worker_settle_attempt(struct worker *w)
{
    checkpoint_drop(&w->checkpoint);
    w->may_be_succeeded = false;
}

void
worker_on_checkpoint_frozen(void *context)
{
    struct worker *w = context;

    w->may_be_succeeded = true;
    if (interrupt_is_open(&w->interrupt))
        worker_limit_grace(w);
}

/* Init has a successor for whom we have given up: it goes the same way. */
static void
kill_successor(struct worker *w, int pidfd)
{
    if (pidfd < 0)
        return; /* dead already: init says so next */
    process_watch_stop(&w->process);
    auto_fd(&w->pidfd);
    worker_watch_process(w, pidfd);
    worker_kill(w, END_RESTART);
}

bool
worker_succeeded(struct worker *w, int pidfd, int status, uint64_t peak_bytes)
{
    AUTO(fd) int successor = pidfd;

    if (!w->may_be_succeeded || !worker_is_alive(w))
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
    json_auto_t *content = worker_make_report(w);
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
    worker_forget_interrupt(w);
    worker_enter(w,
                 request_queue_running(w->spec.requests) ? WORKER_BUSY : WORKER_IDLE);
    if (is_to_restart || !w->channel)
        worker_kill(w, END_RESTART);
}

/* The dead one's channel goes with it: nobody whom it has left behind can speak. */
void
worker_wake_checkpoint(struct worker *w)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct error err;
    int socket, pidfd;

    append_wake(w, &bytes);
    if (w->spec.words)
        output_journal_restart(w->spec.words);
    checkpoint_wake(&w->checkpoint, &socket, &pidfd);
    channel_free(TAKE(w->channel));
    w->channel = channel_new(w->spec.loop, socket, worker_channel_ops(w), &err);
    w->channel_ended = !w->channel;
    auto_fd(&w->pidfd);
    worker_watch_process(w, pidfd);
    if (w->channel)
        channel_send(w->channel, &bytes);
    begin_anew(w);
    worker_pump(w);
}
