/*
 * ask: cells that begin with %%ask or %ask, answered by the bridge.
 *
 * The worker counts the cell (announce_request) and describes the data
 * (profile_request); then the bridge is asked. The bridge's code runs in the worker
 * (attempt_request) and can be undone; its outputs are held back until the bridge has
 * decided. The cell then ends like any other. Whatever ends it earlier (an interrupt, a
 * lost worker, a shutdown) also ends the question.
 */
#pragma once

#include "bridge/bridge.h"
#include "kernel/ask/ask_held.h"
#include "kernel/jupyter/parent_headers.h"
#include "kernel/jupyter/publish.h"

struct envelope;
struct provenance;
struct ask_cell;

enum {
    ASK_DISCARDED = 8 /* attempts whose late outputs are dropped */
};

/* The kernel that a question is asked in. Everything is borrowed and outlives the ask.
 * `fail` and `end` end the cell: they call ask_end before they return. */
struct ask_host {
    void *context;
    struct publisher *publisher;
    struct provenance *provenance;
    const char *session;              /* the session's id, for display ids */
    const long long *execution_count; /* the last one heard of */

    /* A step of the running cell, to the worker. Returns the id that its answer will
     * have, valid until the next step. */
    const char *(*send)(void *context, const char *type, struct slice content,
                        bool is_cell);
    void (*interrupt_worker)(void *context);
    /* An output that was checked before and held back since. */
    void (*show)(void *context, const struct envelope *event);
    void (*end)(void *context, struct slice content);
    /* `above`: the lines of a traceback, or NULL; `remedy` may be "". */
    void (*fail)(void *context, const char *ename, const char *message,
                 const char *remedy, const json_t *above);
};

struct ask {
    struct ask_host host;
    struct bridge *bridge;
    json_t *earlier;       /* questions of this notebook that were answered */
    struct ask_cell *cell; /* the one under way, or NULL */
    char discarded[ASK_DISCARDED][PARENT_ID_SIZE];
    unsigned discarded_count;
};

/* Removes the keys from the environment; call it before anything is spawned. */
void ask_init(struct ask *ask, const struct ask_host *host, zloop_t *loop);
void ask_release(struct ask *ask);

/* Does an execute_request with this content begin with %%ask or %ask? */
bool ask_is_for(struct slice content);

/* The cell's turn has come, and the sandbox is ready. `header` and `content` are the
 * request's and stay until ask_end; `id` is the cell's. */
void ask_begin(struct ask *ask, struct slice header, struct slice content,
               const char *id);

/* The cell is over, however it ended: stops everything that belongs to it. Does nothing
 * if there is no cell. */
void ask_end(struct ask *ask);

/* True when the interrupt was for an `%%ask` cell. */
bool ask_interrupt(struct ask *ask);

/* The reply to a step that is under way; its content was checked. Returns false and
 * does nothing when no step waits for it. Call it only while there is a cell. */
bool ask_take_reply(struct ask *ask, const struct envelope *event);

/* True when this output is held back, or dropped. */
bool ask_attempt_takes_output(struct ask *ask, const struct envelope *event);
