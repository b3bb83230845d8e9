#include <stdio.h>

#include "sandbox/running/worker_state.h"

#define LOG_COMPONENT "worker"
#include "common/log.h"

/* --- lending --- */

/* Before it runs an attempt: without a checkpoint that is not undone. */
static bool
is_attempt(const struct worker *w)
{
    return worker_runs(w, "attempt_request");
}

/* After what changes variables: a cell, or an attempt that is kept. */
static bool
changes_variables(const struct worker *w)
{
    return worker_runs(w, "execute_request") || worker_runs(w, "attempt_end_request");
}

static int
lend_to(struct worker *w, pid_t parent, struct error *err)
{
    return is_attempt(w) ? checkpoint_lend(&w->checkpoint, parent, err)
                         : checkpoint_ring_lend(&w->ring, parent, err);
}

int
worker_lend_checkpoint(struct worker *w)
{
    struct error err;

    if (!is_attempt(w) && !(w->ring.keep && changes_variables(w)))
        return -1;
    int end = lend_to(w, process_parent(w->pidfd), &err);
    if (end < 0)
        log_info("%s", err.text);
    return end;
}

/* --- what becomes of them --- */

bool
worker_has_heir(struct worker *w)
{
    return checkpoint_is_frozen(&w->checkpoint) || checkpoint_ring_has_heir(&w->ring);
}

/* It has said what became of the attempt: it is kept, or there is none. */
void
worker_settle_attempt(struct worker *w)
{
    checkpoint_drop(&w->checkpoint);
    w->may_be_succeeded = checkpoint_ring_has_heir(&w->ring);
}

void
worker_on_checkpoint_frozen(void *context)
{
    struct worker *w = context;

    w->may_be_succeeded = true;
}

void
worker_on_checkpoint_settled(void *context)
{
    struct worker *w = context;

    if (w->spec.ops.is_tight(w->spec.ops.context))
        checkpoint_ring_thin(&w->ring);
    if (interrupt_is_open(&w->interrupt))
        worker_limit_grace(w);
}

/* Init has a successor for whom we have given up: it goes the same way, and what is
 * told is what the first of the two died of. */
static void
kill_successor(struct worker *w, int pidfd, int status, uint64_t peak_bytes)
{
    const enum worker_end end = w->death.end;

    process_watch_stop(&w->process);
    auto_fd(&w->pidfd);
    worker_watch_process(w, pidfd);
    worker_kill(w, END_RESTART);
    w->death.end = end;
    w->death.status = status;
    w->death.peak_bytes = peak_bytes;
    w->is_death_known = true;
}

/* An attempt is undone to where it began, and no further back; unless it had not begun.
 */
static struct checkpoint *
find_heir(struct worker *w, int pidfd)
{
    if (checkpoint_is_frozen(&w->checkpoint) &&
        checkpoint_is_process(&w->checkpoint, pidfd))
        return &w->checkpoint;
    return checkpoint_is_settled(&w->checkpoint)
               ? NULL
               : checkpoint_ring_find(&w->ring, pidfd);
}

/* The dead has said all that it will say. */
static void
hear_checkpoints(struct worker *w)
{
    checkpoint_hear(&w->checkpoint);
    checkpoint_ring_hear(&w->ring);
}

bool
worker_succeeded(struct worker *w, int pidfd, int status, uint64_t peak_bytes)
{
    AUTO(fd) int successor = pidfd;

    if (worker_is_alive(w))
        hear_checkpoints(w);
    if (!w->may_be_succeeded || !worker_is_alive(w))
        return false;
    w->may_be_succeeded = worker_has_heir(w);
    if (successor < 0 || !process_is_alive(successor))
        return true; /* dead already: init says so next */
    if (!w->may_be_succeeded) {
        kill_successor(w, take_fd(&successor), status, peak_bytes);
        return true;
    }
    w->heir = find_heir(w, successor);
    if (!w->heir)
        return false;
    if (w->heir != &w->checkpoint)
        checkpoint_drop(&w->checkpoint);
    checkpoint_ring_move_to(&w->ring, w->heir, worker_wants(w, w->heir));
    worker_exited(w, status, peak_bytes);
    return true;
}

/* What it is to answer in place of the worker, if anything, and why. */
static void
append_wake(struct worker *w, struct buffer *bytes)
{
    const struct request *running = request_queue_running(w->spec.requests);
    struct error err;

    w->death.was_attempt = w->heir == &w->checkpoint;
    json_auto_t *content = worker_make_report(w);
    json_auto_t *line = json_pack("{s:s}", "type", "wake");
    if (running) {
        json_object_set_new(line, "id", json_string(running->id));
        json_object_set_new(content, "request", json_string(running->type->type));
        json_object_set_new(content, "begun", json_boolean(w->has_begun));
        if (w->asked)
            json_object_set(content, "content", w->asked);
    }
    if (worker_wants(w, w->heir))
        json_object_set(content, "restored", w->told);
    json_object_set_new(content, "number", json_integer(w->number));
    json_object_set_new(content, "counted", json_integer(w->counted));
    json_object_set_new(content, "last", json_string(w->last));
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
    w->asks = w->is_to_restart = false;
    w->wishes = 0;
    worker_forget_restore(w);
    worker_forget_interrupt(w);
    worker_enter(w,
                 request_queue_running(w->spec.requests) ? WORKER_BUSY : WORKER_IDLE);
    if (is_to_restart || !w->channel)
        worker_kill(w, END_RESTART);
}

/* Before anything else it makes one of itself: it may die of the same again. */
static int
lend_to_heir(struct worker *w)
{
    struct error err;

    return checkpoint_ring_lend(&w->ring, process_parent(w->pidfd), &err);
}

/* The dead one's channel goes with it: nobody whom it has left behind can speak. */
void
worker_wake_checkpoint(struct worker *w)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct checkpoint *heir;
    struct error err;
    int socket, pidfd;

    append_wake(w, &bytes);
    heir = TAKE(w->heir);
    if (w->spec.words)
        output_journal_restart(w->spec.words);
    checkpoint_wake(heir, &socket, &pidfd);
    channel_free(TAKE(w->channel));
    w->channel = channel_new(w->spec.loop, socket, worker_channel_ops(w), &err);
    w->channel_ended = !w->channel;
    auto_fd(&w->pidfd);
    worker_watch_process(w, pidfd);
    w->may_be_succeeded = checkpoint_ring_has_heir(&w->ring);
    if (w->channel) {
        worker_lend_beside(w);
        channel_send_with(w->channel, &bytes, lend_to_heir(w));
    }
    begin_anew(w);
    worker_pump(w);
}
