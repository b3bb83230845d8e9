/*
 * sandbox: one sandbox, from the claim until every process of it is gone.
 *
 * Who has claimed it and may use it, its requests and the log of its events, and when
 * it ends; its processes are the supervisor's. Nothing here blocks: sandbox_new returns
 * before there is a process, and sandbox_end before they are gone.
 */
#pragma once

#include "common/buffer.h"
#include "sandbox/files/workspace.h"
#include "sandbox/life/claim.h"
#include "sandbox/life/sandbox_host.h"
#include "sandbox/life/waiters.h"
#include "sandbox/messages/event_log.h"
#include "sandbox/messages/request_queue.h"
#include "sandbox/token.h"

struct sandbox;

/* Takes the claim's contents; a slot is unique among the sandboxes alive. */
struct sandbox *sandbox_new(const struct sandbox_host *host, struct claim *claim,
                            unsigned slot, struct error *err) MUST_CHECK;
void sandbox_free(struct sandbox *sandbox);

/* It ends when the process at the other end of the socket does, unless it is kept. */
int sandbox_set_owner(struct sandbox *sandbox, int socket,
                      struct error *err) MUST_CHECK;
/* --- a session that outlives its owner: sandbox_keep.c --- */

/* A request was added: what of it the next kernel needs to know. */
void sandbox_keep_note(struct sandbox *sandbox, const struct request *request);
void sandbox_keep_note_end(struct sandbox *sandbox); /* of the one that ran */
/* Its owner has ended: for how many seconds it waits for the next one; 0: it ends. */
json_int_t sandbox_keep_begin(struct sandbox *sandbox);
void sandbox_keep_look(struct sandbox *sandbox); /* has its owner ended just now? */
/* Does it wait, and for this claim of this user's? */
bool sandbox_keep_waits_for(const struct sandbox *sandbox, const struct claim *claim,
                            uid_t user);
int64_t
sandbox_keep_since(const struct sandbox *sandbox); /* loop_now_ms; 0: does not */
/* Has another kernel, that still lives, taken over what this claim would have? */
bool sandbox_keep_is_elsewhere(const struct sandbox *sandbox, const struct claim *claim,
                               uid_t user);
/* For the answer to who claimed this one instead. */
void sandbox_keep_tell(struct sandbox *sandbox, const struct sandbox *elsewhere);
/* Is it what this claim over TCP would have, whose task was found? */
bool sandbox_keep_is_for(const struct sandbox *sandbox, const struct claim *claim);
/* It has another token from now on, and who has read its events reads no more. */
void sandbox_keep_take_from_afar(struct sandbox *sandbox, const struct claim *claim);
/* The process at the other end of the socket is its owner from now on. */
int sandbox_keep_take(struct sandbox *sandbox, const struct claim *claim, int socket,
                      struct error *err) MUST_CHECK;

/* Then on_gone, once. cause is a word, message a sentence: what its clients are told.
 */
void sandbox_end(struct sandbox *sandbox, const char *cause, const char *message);

/* Its pod is being stopped, and it ends in ms at the latest: tells its clients. */
void sandbox_warn(struct sandbox *sandbox, int64_t ms);

const char *sandbox_id(const struct sandbox *sandbox);
const char *sandbox_task_id(const struct sandbox *sandbox);
const struct token *sandbox_token(const struct sandbox *sandbox);
unsigned sandbox_slot(const struct sandbox *sandbox);
bool sandbox_is_ending(const struct sandbox *sandbox);
struct event_log *sandbox_log(struct sandbox *sandbox);
void sandbox_touch(struct sandbox *sandbox); /* a client uses it: it is not idle */
/* Its clocks start anew. */
void sandbox_extend(struct sandbox *sandbox, const struct extension *extension);

/* Takes the buffer's storage. 1: it has this request already. trace: for the logs;
 * NULL: none. */
int sandbox_request(struct sandbox *sandbox, struct buffer *envelope,
                    const struct trace_id *trace, struct error *err) MUST_CHECK;
/* question: as worker_answer */
int sandbox_input(struct sandbox *sandbox, const char *value, uint64_t question,
                  struct error *err) MUST_CHECK;
/* request NULL: whatever runs. False: that is not what runs. number: its client counts
 * them, and one that comes again is the same; 0: it does not count. */
bool sandbox_interrupt(struct sandbox *sandbox, const char *request, int64_t number);
bool sandbox_is_running(const struct sandbox *sandbox, const char *request);
int sandbox_restart(struct sandbox *sandbox, struct error *err) MUST_CHECK;

/* New references. */
json_t *sandbox_describe(struct sandbox *sandbox);
json_t *sandbox_describe_claim(struct sandbox *sandbox); /* with the token */
json_t *sandbox_usage(struct sandbox *sandbox);

/* --- for who needs more than a name of it --- */

void sandbox_await(struct sandbox *sandbox, struct waiter *waiter);
struct loop *sandbox_loop(const struct sandbox *sandbox);
const struct workspace *sandbox_workspace(const struct sandbox *sandbox);

static inline void
auto_sandbox(struct sandbox **sandbox)
{
    sandbox_free(*sandbox);
}
