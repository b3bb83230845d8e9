/*
 * sandbox: the sandbox of this kernel, over sandboxd's HTTP API.
 *
 * docs/sandbox-protocol.md section 5. Claims one (claiming.h) at a place (place.h),
 * follows its events (event_stream.h) and calls it (call.h). No event is relayed twice
 * and none is missed. If that is impossible, the sandbox counts as lost, and its owner
 * is told why.
 */
#pragma once

#include <czmq.h>

#include "common/envelope.h"
#include "common/trace.h"
#include "kernel/client/sandbox_link.h"
#include "kernel/place/place.h"

/* Called by the loop. A handler may call everything below except sandbox_free. */
struct sandbox_owner {
    void (*on_stage)(void *context, const char *stage); /* while claiming */
    void (*on_ready)(void *context, const struct envelope *event);
    /* Instead of on_ready: it is ready, and was another kernel's. taken: what sandboxd
     * tells of it (docs/sandbox-protocol.md); no event comes before sandbox_listen. */
    void (*on_taken)(void *context, const json_t *taken);
    /* It is a fresh one, because the kernel with this pid has what was kept. */
    void (*on_elsewhere)(void *context, json_int_t pid);
    /* Of the claim, before any of these: a sentence for the user. */
    void (*on_told)(void *context, const char *text);
    /* It was to be paused, and could not; why is a sentence for the user. */
    void (*on_kept)(void *context, const char *why);
    /* It was paused, and is ready again, as it was. */
    void (*on_resumed)(void *context);
    void (*on_event)(void *context, const struct envelope *event);
    /* While it is watched: `who' is silent, or answers again. */
    void (*on_silent)(void *context, const char *who, bool is_silent);
    void (*on_lost)(void *context, const struct sandbox_loss *loss);
    /* what became of sandbox_send: err is NULL once sandboxd has it */
    void (*on_sent)(void *context, const char *id, const struct error *err);
    void (*on_interrupted)(void *context, const char *id, bool delivered);
    void *context;
};

struct sandbox;

struct sandbox *sandbox_new(zloop_t *loop, const struct place_spec *place,
                            const struct sandbox_owner *owner);
/* Leaves the sandbox to sandboxd, which ends it with this process. */
void sandbox_free(struct sandbox *sandbox);

/* Starts a claim unless there is one, or a sandbox. spec is as claim_make made it. A
 * sandbox that is paused is resumed instead. */
void sandbox_claim(struct sandbox *sandbox, const json_t *spec);
/* Its id; "" while there is none. */
const char *sandbox_id(const struct sandbox *sandbox);
bool sandbox_is_ready(const struct sandbox *sandbox);
/* The seconds after which one that nobody uses is to be paused; 0: never. */
unsigned sandbox_pause_after(const struct sandbox *sandbox);
/* One that is ready: gives up its pod, if that can be done without losing anything. */
void sandbox_pause(struct sandbox *sandbox);
bool sandbox_is_coming(const struct sandbox *sandbox);
/* Of one that was taken over: its events, from the one behind `after` on. */
void sandbox_listen(struct sandbox *sandbox, json_int_t after);
const char *sandbox_stage(const struct sandbox *sandbox);
/* How it is reached; NULL while it is not ready. */
const struct sandbox_link *sandbox_link_of(const struct sandbox *sandbox);

/* Post a request envelope; takes its bytes. Only when ready. */
void sandbox_send(struct sandbox *sandbox, const char *id, const struct trace_id *trace,
                  struct buffer *envelope);
void sandbox_interrupt(struct sandbox *sandbox, const char *id);
/* value is a JSON string with its quotes, question the seq of the event that asked */
void sandbox_input(struct sandbox *sandbox, struct slice value, json_int_t question);

/* Called exactly once. body is a JSON object, or empty if none could be got. */
typedef void sandbox_usage_fn(void *context, struct slice body);
void sandbox_usage(struct sandbox *sandbox, sandbox_usage_fn *done, void *context);

/* A file of its working folder; path as carry_path_encode makes it. `done` is called
 * once, unless the sandbox ends before. */
typedef void sandbox_file_fn(void *context, const struct http_result *result);
struct sandbox_file {
    const char *path;
    bool is_executable;
    const char *unless;   /* put: replace nothing but what is in this state */
    struct buffer *bytes; /* put: taken */
    size_t most;          /* get: a longer one is not read */
};
void sandbox_put_file(struct sandbox *sandbox, const struct sandbox_file *file,
                      sandbox_file_fn *done, void *context);
void sandbox_get_file(struct sandbox *sandbox, const struct sandbox_file *file,
                      sandbox_file_fn *done, void *context);
/* The list of all: docs/sandbox-protocol.md. */
void sandbox_get_tree(struct sandbox *sandbox, sandbox_file_fn *done, void *context);

/* Something runs there, whose end the user waits for: tell when it falls silent. */
void sandbox_watch(struct sandbox *sandbox, bool watch);

/* Stop and go on reading events. */
void sandbox_hold(struct sandbox *sandbox, bool hold);

/* Destroy it; done is called once sandboxd has destroyed it, or cannot be reached. */
typedef void sandbox_ended_fn(void *context);
void sandbox_end(struct sandbox *sandbox, sandbox_ended_fn *done, void *context);
