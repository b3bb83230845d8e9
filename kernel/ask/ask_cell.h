/*
 * ask_cell: the state of a running %%ask cell, and its steps in the sandbox. For the
 * files ask*.c alone.
 *
 *     ask.c          its life: begin, steps, interrupt, end
 *     ask_command.c  --help, --models, --show: no model is asked
 *     ask_answer.c   the bridge is asked; what becomes of its answer
 *     ask_attempt.c  its code runs, and can be undone
 */
#pragma once

#include "bridge/bridge.h"
#include "common/messages.h"
#include "kernel/ask/ask.h"
#include "kernel/ask/ask_held.h"
#include "kernel/jupyter/parent_headers.h"

struct envelope;

struct ask_cell {
    struct slice header, content; /* of its request, borrowed */
    char id[PARENT_ID_SIZE];
    /* The step whose reply the cell waits for; MESSAGE_NONE: it is the bridge's turn.
     * The bridge knows how far the question itself is. */
    enum message_id asked;
    struct magic magic;
    bool is_counted, wants_help; /* %ask? */
    json_t *profile;
    struct bridge_ask *asking; /* NULL when it has finished */
    bool is_listing;           /* --models */
    bool was_interrupted;

    /* the line of progress */
    bool has_line;
    enum bridge_stage line_stage;
    int line_attempt;

    /* the attempt */
    bool has_attempt;                /* one waits for its end */
    char attempt_id[PARENT_ID_SIZE]; /* whose outputs are held back, or "" */
    struct ask_held held;
    json_t *reply; /* of the last attempt */

    /* the end */
    enum bridge_status status;
    char *message;
    json_t *payload;
    json_t *earlier; /* what later questions learn about this one, if it is kept */
};

/* Takes content. Returns the id of the answer, as ask_host.send does. */
const char *ask_send_step(struct ask *ask, enum message_id request, json_t *content);

/* --- the replies to steps, their content checked --- */

typedef void ask_reply_fn(struct ask *ask, const struct envelope *event);

ask_reply_fn ask_answer_take_check;
ask_reply_fn ask_attempt_take_reply;
ask_reply_fn ask_attempt_take_end;

/* --- commands --- */

/* True if the flags ask for something that needs no description of the data. */
bool ask_command_run(struct ask *ask);
void ask_command_show(struct ask *ask);

/* --- the answer --- */

void ask_answer_start(struct ask *ask);

/* Sends the reply that fits how the cell ended; frees the cell. Only when no attempt is
 * left. */
void ask_answer_conclude(struct ask *ask);
void ask_answer_fail(struct ask *ask, const char *message);

/* --- attempts --- */

void ask_attempt_start(struct ask *ask, const struct bridge_run *run);

/* Shows the attempt's outputs so far, with this metadata; later outputs go to the
 * cell. */
void ask_attempt_show(struct ask *ask, const json_t *metadata);

/* Discards the attempt: its later outputs are ignored. */
void ask_attempt_discard(struct ask *ask);

/* Tells the worker whether the attempt is kept. */
void ask_attempt_end(struct ask *ask, bool keep);
