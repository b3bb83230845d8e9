/*
 * ask: cells that begin with %%ask or %ask, answered by the bridge.
 *
 * The cell is counted by the worker (announce_request), the data described
 * (profile_request), the bridge asked. Code that it wants to run runs in a fork of the
 * worker (attempt_request); what that shows is held back until the bridge has decided.
 * The cell then ends like any other. Whatever ends it before (an interrupt, a lost
 * worker, a shutdown) ends the asking with it.
 */
#pragma once

#include "bridge/bridge.h"
#include "kernel/ask/ask_held.h"
#include "kernel/jupyter/parent_headers.h"

struct kernel;
struct envelope;
struct request;
struct ask_cell;

enum {
    ASK_DISCARDED = 8 /* attempts whose late words nobody wants */
};

struct ask {
    struct bridge *bridge;
    json_t *earlier;       /* questions of this notebook that were answered */
    struct ask_cell *cell; /* the one under way, or NULL */
    char discarded[ASK_DISCARDED][PARENT_ID_SIZE];
    unsigned discarded_count;
};

/* Takes the keys out of the environment: before anything is spawned. */
void ask_init(struct ask *ask, zloop_t *loop);
void ask_release(struct ask *ask);

/* Is this execute_request one for us? */
bool ask_is_for(const struct request *request);

/* The cell's turn has come, and the sandbox is ready. */
void ask_begin(struct kernel *kernel);

/* The cell is over, however it ended: nothing of it goes on. Does nothing if there is
 * none. */
void ask_end(struct kernel *kernel);

/* True when the interrupt was for a cell of ours. */
bool ask_interrupt(struct kernel *kernel);

/* The reply to a step that is under way, its content checked. */
void ask_take_reply(struct kernel *kernel, const struct envelope *event);

/* True when this output is held back, or dropped. */
bool ask_takes_output(struct kernel *kernel, const struct envelope *event);
