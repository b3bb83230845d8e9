/*
 * supervisor: the processes of one sandbox, from the zygote's fork until all are gone.
 *
 * It has an init, forked by the zygote, which forks its workers one after the other; a
 * worker that dies is replaced, and so is an init. What they live in is kept here too:
 * their limits, their way to the network, the workspace as they see it.
 */
#pragma once

#include "sandbox/files/workspace.h"
#include "sandbox/life/claim.h"
#include "sandbox/life/sandbox_host.h"
#include "sandbox/messages/event_log.h"
#include "sandbox/messages/request_queue.h"
#include "sandbox/running/worker.h"

struct supervisor;

struct supervisor_ops {
    void (*on_ready)(void *context, const json_t *hello); /* each worker */
    void (*on_worker_exited)(void *context, const json_t *report);
    void (*on_request_start)(void *context);
    void (*on_request_end)(void *context);
    /* For the user. request: an id, or NULL: the one that runs. */
    void (*on_notice)(void *context, const char *request, const char *message);
    /* It is not to be had, or not any more: {"code","layer","message","remedy"},
     * borrowed. Call supervisor_stop. */
    void (*on_failed)(void *context, const json_t *failure);
    void (*on_gone)(void *context); /* no process is left, and none will come */
    void *context;
};

struct supervisor_spec {
    const struct sandbox_host *host;
    const struct claim *claim; /* this and what follows is borrowed */
    const char *id;
    unsigned slot;
    struct event_log *log;
    struct request_queue *requests;
    struct supervisor_ops ops;
};

/* Starts init: returns before there is a process. */
struct supervisor *supervisor_new(const struct supervisor_spec *spec,
                                  struct error *err) MUST_CHECK;
void supervisor_free(struct supervisor *supervisor); /* its processes are gone */
/* Ends all of them. True: there is none; false: on_gone will tell. */
bool supervisor_stop(struct supervisor *supervisor);

struct worker *supervisor_worker(const struct supervisor *supervisor); /* or NULL */
pid_t supervisor_init(const struct supervisor *supervisor);       /* 0: not known */
pid_t supervisor_worker_pid(const struct supervisor *supervisor); /* -1: likewise */
const struct workspace *supervisor_workspace(const struct supervisor *supervisor);
json_t *supervisor_variables(const struct supervisor *supervisor); /* or NULL */
json_t *supervisor_limits(const struct supervisor *supervisor);    /* a new reference */

static inline void
auto_supervisor(struct supervisor **supervisor)
{
    supervisor_free(*supervisor);
}
