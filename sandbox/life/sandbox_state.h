/*
 * sandbox_state: what a sandbox is made of, and the states it goes through. For
 * sandbox.c and sandbox_describe.c; everybody else sees sandbox.h.
 */
#pragma once

#include "common/limits.h"
#include "sandbox/life/claim.h"
#include "sandbox/life/lifetime.h"
#include "sandbox/life/sandbox_host.h"
#include "sandbox/life/supervisor.h"
#include "sandbox/life/waiters.h"
#include "sandbox/messages/event_log.h"
#include "sandbox/resources/usage.h"
#include "sandbox/token.h"

enum {
    SANDBOX_ID_BYTES = 8
};

/* What the next kernel needs to know, should this one's process end. */
struct session_keep {
    uid_t user; /* whose process claimed it; -1: nobody may take it over */
    char cell[LIMIT_REQUEST_ID + 1]; /* the last one; "": none */
    uint64_t before;                 /* seq of the event before its first */
    int64_t ended_ms;                /* when the last request was over; loop_now_ms */
    bool has_run;                    /* some cell; else there is nothing to keep */
    bool is_models;                  /* a model's code has run in it */
    bool has_attempt;
    unsigned takeovers;
    json_t *told; /* of the last takeover, for the claim's answer; or NULL */
};

/* state, its name in the API, and the states it may be entered from */
#define SANDBOX_IN(state) (1U << SANDBOX_##state)
#define SANDBOX_STATES(X)                                         \
    X(STARTING, "starting", 0)                                    \
    X(READY, "ready", SANDBOX_IN(STARTING))                       \
    X(FAILED, "failed", SANDBOX_IN(STARTING) | SANDBOX_IN(READY)) \
    X(ENDING, "ending", SANDBOX_IN(STARTING) | SANDBOX_IN(READY) | SANDBOX_IN(FAILED))

enum sandbox_state {
#define X(state, name, from) SANDBOX_##state,
    SANDBOX_STATES(X)
#undef X
};

static inline const char *
sandbox_state_name(enum sandbox_state state)
{
    static const char *const names[] = {
#define X(state, name, from) [SANDBOX_##state] = name,
        SANDBOX_STATES(X)
#undef X
    };

    return names[state];
}

struct sandbox {
    const struct sandbox_host *host;
    enum sandbox_state state;
    char id[2 * SANDBOX_ID_BYTES + 1];
    struct token token;
    struct claim claim;
    unsigned slot;
    struct event_log *log;
    struct request_queue *requests;
    struct supervisor *supervisor;
    struct waiters waiters;
    struct lifetime lifetime;
    json_t *hello;   /* of the newest worker, or NULL */
    json_t *failure; /* when FAILED */
    struct loop_timer burial;
    int64_t made_ms;
    struct {
        int64_t number; /* as its client counts; 0: it does not */
        bool was_delivered;
    } interrupt; /* the last one */
    struct usage_meter meter;
    struct session_keep keep;
    struct trace_id trace; /* of the request that runs */
};
