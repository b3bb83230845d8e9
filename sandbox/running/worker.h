/*
 * worker: sandboxd's side of one worker, from its start to its exit report.
 *
 * It passes the queue's requests on, one at a time, checks what comes back, and puts it
 * into the sandbox's event log. The worker is hostile: a violation ends it. Init forks
 * it and tells of its end; the supervisor connects the two.
 */
#pragma once

#include <sys/types.h>

#include "sandbox/loop.h"
#include "sandbox/messages/event_log.h"
#include "sandbox/messages/request_queue.h"
#include "sandbox/running/exit_report.h"
#include "sandbox/running/output_journal.h"

struct worker;

enum {
    WORKER_CALL_NAME = 48
};

struct worker_ops {
    void (*on_ready)(void *context, const json_t *hello);
    void (*on_request_start)(void *context);
    void (*on_request_end)(void *context);
    /* It is dead: what is known of its memory. */
    struct memory_verdict (*judge)(void *context);
    /* So much memory is in use that only one checkpoint is kept after its cells. */
    bool (*is_tight)(void *context);
    /* Its cells have imported these: an array of texts, borrowed and hostile. */
    void (*on_imports)(void *context, const json_t *names);
    /* Dead, and all that it said is in the log. The worker may be freed from here. */
    void (*on_gone)(void *context, const json_t *report);
    void *context;
};

struct worker_spec {
    struct loop *loop;
    struct event_log *log;
    struct request_queue *requests;
    int channel;                  /* taken, also on failure */
    struct output_journal *words; /* likewise */
    size_t most_bytes;            /* of what it says at once: channel_share */
    unsigned checkpoints;         /* how many are kept after its cells; 0: none */
    struct worker_ops ops;
};

struct worker *worker_new(const struct worker_spec *spec, struct error *err) MUST_CHECK;
void worker_free(struct worker *worker); /* does not end the process */

/* What init tells. pidfd is taken; -1 when the process has gone already. */
void worker_started(struct worker *worker, int pidfd);
void worker_exited(struct worker *worker, int status, uint64_t peak_bytes);
/* Init knows which system call it was killed for; before worker_exited. */
void worker_note_call(struct worker *worker, const char *name);
/* It has ended, and a checkpoint takes its place. False, when that is not one of its
 * checkpoints: a lie. Takes pidfd. */
bool worker_succeeded(struct worker *worker, int pidfd, int status,
                      uint64_t peak_bytes) MUST_CHECK;

/* It is within its limits: only now requests may run. Once. */
void worker_admit(struct worker *worker);

void worker_kill(struct worker *worker, enum worker_end end);
/* Memory is nearly used up: checkpoints go first. False: none of them holds any. */
bool worker_give_way(struct worker *worker);
void worker_signal(struct worker *worker, int signal); /* to that process alone */
void worker_pump(struct worker *worker);               /* a request may wait */
void worker_log_has_room(struct worker *worker);       /* it was full */

/* False when the named request (NULL: any) is not the one that runs. */
bool worker_interrupt(struct worker *worker, const char *request_id);
/* The answer to input(). question: the seq of the input_request that it is for, 0: the
 * one that waits. ERR_CONFLICT when nothing asks, or something else does. */
int worker_answer(struct worker *worker, const char *value, uint64_t question,
                  struct error *err) MUST_CHECK;

bool worker_is_ready(const struct worker *worker);
bool worker_is_busy(const struct worker *worker);
uint64_t worker_question(const struct worker *worker); /* as worker_answer; 0: none */
json_t *worker_variables(const struct worker *worker); /* new reference, or NULL */
pid_t worker_pid(const struct worker *worker); /* as we see it; -1 when not known */
/* Or a checkpoint of it. */
bool worker_is_process(const struct worker *worker, pid_t pid);

static inline void
auto_worker(struct worker **worker)
{
    worker_free(*worker);
}
